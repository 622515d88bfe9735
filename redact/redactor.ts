/**
 * Takes known secrets out of text that people, logs and traces will see. What it knows never leaves it: its fields are private, and so do
 * not show when it is printed or turned into JSON.
 */
import type { RedactionStream, TextRedactor } from "../contracts/redaction.ts";
import { FormAutomaton } from "./form_automaton.ts";
import { RedactionRun, type RedactionRunOptions } from "./redaction_run.ts";
import { formsOf } from "./secret_forms.ts";

const MARK = "[redacted]";
const DEFAULT_MIN_LENGTH = 4;

/** Options of {@linkcode Redactor.fromSecrets}. */
export interface RedactorOptions {
  /** Whether `[redacted:NAME]` stands in a secret's place, and not `[redacted]`. @default false */
  readonly showNames?: boolean;
  /**
   * The least number of characters of a secret; a shorter one is refused, since its text stands in much that is no secret.
   *
   * @default 4
   */
  readonly minLength?: number;
}

/**
 * Replaces known secrets in text, in every form in which they are found: as they are, escaped for JSON or URLs (also twice, and whatever the
 * encoder chose to escape), in hex, in base64 at any place in a longer text, and with the line breaks of wrapped lines between.
 *
 * Where secrets overlap or contain each other, all of it is replaced, under the name of the longest. Time grows with the text alone, whatever
 * the number of secrets. A secret that was cut in two and shown in two texts is in neither: redact first, and shorten after.
 *
 * @example
 * ```ts
 * import { Redactor } from "@agentloop/core";
 *
 * const redactor = Redactor.fromSecrets({ API_KEY: "sk-test-ABCDEFGH12345678" });
 * console.log(redactor.redact("key=sk-test-ABCDEFGH12345678")); // key=[redacted]
 *
 * const stream = redactor.stream();
 * console.log(stream.push("key is sk-test-ABC") + stream.push("DEFGH12345678 ok") + stream.flush()); // key is [redacted] ok
 * ```
 */
export class Redactor implements TextRedactor {
  /** Absent when there is nothing to take out. */
  readonly #options: RedactionRunOptions | undefined;
  /** Serves one whole text after the other. */
  readonly #whole: RedactionRun | undefined;
  readonly #secrets: Readonly<Record<string, string>>;
  readonly #made: RedactorOptions;

  private constructor(
    { secrets, marks }: {
      readonly secrets: readonly NamedSecret[];
      readonly marks: readonly string[];
    },
    from: { readonly secrets: Readonly<Record<string, string>>; readonly options: RedactorOptions },
  ) {
    this.#secrets = from.secrets;
    this.#made = from.options;
    if (secrets.length === 0) return;
    const automaton = new FormAutomaton(
      secrets.flatMap(({ forms }, secret) =>
        forms.map((form) => ({ bytes: new TextEncoder().encode(form), secret }))
      ),
    );
    this.#options = { automaton, marks };
    this.#whole = new RedactionRun(this.#options);
  }

  /**
   * Makes a redactor for secrets by their names. White space around a value is no part of the secret. Empty values are passed over;
   * with none left, text passes as it is.
   *
   * @throws {TypeError} when a value is not a string, or there is no such option.
   * @throws {RangeError} when a value is too short, or `minLength` is not a whole number of at least 1.
   */
  static fromSecrets(
    secrets: Readonly<Record<string, string>>,
    options: RedactorOptions = {},
  ): Redactor {
    refuseUnknown(options);
    const { showNames = false, minLength = DEFAULT_MIN_LENGTH } = options;
    if (!Number.isSafeInteger(minLength) || minLength < 1) {
      throw new RangeError(`minLength must be a whole number of at least 1, not ${minLength}.`);
    }
    const named = Object.entries(secrets)
      .flatMap(([name, value]) => checkedSecret(name, { value, minLength }))
      .sort((a, b) => b.length - a.length);
    const forms = named.flatMap((secret) => secret.forms);
    const marks = named.map(({ name }) => harmlessMark(showNames ? markOf(name) : MARK, forms));
    return new Redactor({ secrets: named, marks }, { secrets: { ...secrets }, options });
  }

  /**
   * A redactor that takes these secrets out too, made with the same options. Of two secrets with one name, both are taken out.
   *
   * @throws {TypeError} when a value is not a string. @throws {RangeError} when it is too short.
   */
  including(secrets: Readonly<Record<string, string>>): Redactor {
    const all = new Map(Object.entries(this.#secrets));
    for (const [name, value] of Object.entries(secrets)) {
      let free = name;
      for (let n = 2; all.has(free); n++) free = `${name} ${n}`;
      all.set(free, value);
    }
    return Redactor.fromSecrets(Object.fromEntries(all), this.#made);
  }

  /** The text with every form of every secret replaced. */
  redact(text: string): string {
    return this.#whole === undefined ? text : this.#whole.push(text) + this.#whole.flush();
  }

  /** Begins a stream, in which a secret may come in pieces. What is held back at most is as long as the longest form of a secret. */
  stream(): RedactionStream {
    return this.#options === undefined ? PASS : new RedactionRun(this.#options);
  }
}

const OPTIONS: Readonly<Record<keyof RedactorOptions, true>> = {
  showNames: true,
  minLength: true,
};

/** What others have from `contracts/known_names.ts`: this folder takes types from there, and no code. */
function refuseUnknown(options: RedactorOptions): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(OPTIONS, name));
  if (unknown === undefined) return;
  const shown = unknown.length <= 100 ? unknown : `${unknown.slice(0, 100).toWellFormed()}…`;
  throw new TypeError(
    `Redactor.fromSecrets: there is no option ${shown}; there are ${
      Object.keys(OPTIONS).join(", ")
    }`,
  );
}

interface NamedSecret {
  readonly name: string;
  readonly length: number;
  readonly forms: readonly string[];
}

/** A stream that changes nothing. */
const PASS: RedactionStream = { push: (piece) => piece, flush: () => "" };

function checkedSecret(
  name: string,
  { value, minLength }: { readonly value: string; readonly minLength: number },
): NamedSecret[] {
  if (typeof value !== "string") {
    throw new TypeError(
      `The secret ${name} must be a string, not ${typeof value}; an empty one is passed over.`,
    );
  }
  if (value === "") return [];
  const secret = value.trim().toWellFormed();
  if (secret.length < minLength) {
    throw new RangeError(
      `The secret ${name} has ${secret.length} characters without the white space around them. So short a text stands in much that is no ` +
        `secret; at least ${minLength} are needed. Leave it out, or lower minLength.`,
    );
  }
  return [{ name, length: secret.length, forms: formsOf(secret) }];
}

function markOf(name: string): string {
  return `[redacted:${name.toWellFormed()}]`;
}

/** The first of some marks that does not show a secret itself, be it together with the text beside it. */
function harmlessMark(wanted: string, forms: readonly string[]): string {
  const marks = [wanted, MARK, "***"];
  return marks.find((mark) => !forms.some((form) => touches(form, mark))) ?? "\u2588\u2588\u2588";
}

function touches(form: string, mark: string): boolean {
  return mark.includes(form) || endsInto(form, mark) || endsInto(mark, form);
}

/** Whether the end of one text is the beginning of the other. */
function endsInto(first: string, second: string): boolean {
  for (let length = Math.min(first.length, second.length); length > 0; length--) {
    if (first.endsWith(second.slice(0, length))) return true;
  }
  return false;
}
