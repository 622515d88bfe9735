/**
 * The secrets that one call uses: whether it may, where they come from, and that a script which only named one does not get to see it. The names that
 * policies and people judge are `NAME` for a script that wants the value itself, and `NAME for HOST` or `NAME for command COMMAND` for one that has it filled in.
 */
import { refuseUnknown } from "../contracts/known_names.ts";
import type { HostFunction, HostReply } from "../contracts/sandbox.ts";
import type { Secret, SecretSource, SecretUse } from "../contracts/secret.ts";
import { redactJsonText } from "../redact/redact_json.ts";
import { Redactor } from "../redact/redactor.ts";
import { writeFurther } from "./audit.ts";
import { HostList } from "./host_list.ts";
import { judge } from "./judge.ts";
import { cancelled, type GateOptions, type Passage, refused, shown } from "./passage.ts";
import { RefusedError } from "./refused_error.ts";
import type { RunSecrets } from "./run_secrets.ts";

/** The name that the use of a secret is judged under, whichever function it is used by. */
const SECRET = "secret";

/** A misspelt binding would bind nothing. */
const OF_A_SECRET: Readonly<Record<keyof Secret, true>> = { value: true, hosts: true };

/** Where a value is to stand. Names are those of environment variables, with dots and dashes. */
const PLACEHOLDER = /\{\{secret:([A-Za-z_][\w.-]{0,127})\}\}/g;

/** The secrets of one call. */
export class CallSecrets {
  readonly #passage: Passage;
  readonly #source: SecretSource;
  readonly #kept: RunSecrets;
  readonly #options: GateOptions;
  /** Values that were filled in, by their names. */
  readonly #filled = new Map<string, string>();
  /** Whether the function hands out what secrets are filled into. */
  #fills = false;
  /** What was agreed on while the call runs, and what it gave. */
  readonly #known = new Map<string, Promise<string>>();

  constructor(
    passage: Passage,
    { source, kept }: { readonly source: SecretSource; readonly kept: RunSecrets },
    options: GateOptions,
  ) {
    this.#passage = passage;
    this.#source = source;
    this.#kept = kept;
    this.#options = options;
  }

  /** See `CallContext.secret`. */
  readonly secret = async (name: string): Promise<string> => {
    const value = await this.#value({ name });
    this.#kept.show(name, value);
    return value;
  };

  /** See `CallContext.fill`. */
  readonly fill = async (
    text: string,
    use: SecretUse,
    encode: (value: string) => string = (value) => value,
  ): Promise<string> => {
    this.#fills = true;
    if (!text.includes("{{secret:")) return text;
    const values = new Map<string, string>();
    for (const [, name = ""] of text.matchAll(PLACEHOLDER)) {
      if (values.has(name)) continue;
      const value = await this.#value({ name, use });
      this.#filled.set(name, value);
      this.#kept.fill(name, value);
      values.set(name, encode(value));
    }
    return text.replace(PLACEHOLDER, (whole, name: string) => values.get(name) ?? whole);
  };

  /**
   * A reply without the values that were filled in; where secrets could be, also without those of earlier calls of the run: a server may keep what it was
   * sent, and give it to whoever asks.
   */
  mask(reply: HostReply): HostReply {
    if (!this.#fills) return reply;
    const values = new Map([...this.#kept.unseen, ...this.#filled]);
    if (values.size === 0) return reply;
    const redactor = Redactor.fromSecrets(Object.fromEntries(values), { showNames: true });
    if (!reply.ok) return { ...reply, message: redactor.redact(reply.message) };
    const { json, text } = reply;
    return {
      ok: true,
      ...(json === undefined ? {} : { json: redactJsonText(json, redactor) }),
      ...(text === undefined ? {} : { text: { ...text, value: redactor.redact(text.value) } }),
    };
  }

  #value(wanted: Wanted): Promise<string> {
    const target = targetOf(wanted);
    const known = this.#known.get(target) ?? this.#find(wanted);
    this.#known.set(target, known);
    return known;
  }

  async #find(wanted: Wanted): Promise<string> {
    const { name } = wanted;
    const source = this.#source;
    if (source.names?.includes(name) === false) throw unknown(source, name);
    await this.#authorize(wanted);
    const { life } = this.#passage;
    const { sessionId, scope, userId } = this.#options;
    const wait = await life.wait(source.get(name, {
      signal: life.signal,
      sessionId,
      ...(scope === undefined ? {} : { scope }),
      ...(userId === undefined ? {} : { userId }),
    }));
    if (wait.kind !== "settled") throw new RefusedError(cancelled(this.#passage.call.name));
    const found = wait.value;
    if (found === undefined || found === null) throw unknown(source, name);
    const secret: Secret = typeof found === "object" ? found : { value: found };
    refuseUnknown(`the secret ${name}`, secret, OF_A_SECRET);
    checkBound(secret, wanted);
    checkValue(secret, name);
    this.#kept.learn(secret.value, name);
    return secret.value;
  }

  /** Asks the gate about the secret, as if the script had called `secret`. */
  async #authorize(wanted: Wanted): Promise<void> {
    const { call, life, approved } = this.#passage;
    const aim = { target: targetOf(wanted) };
    const isOwn = call.name === SECRET;
    const passage: Passage = {
      ...this.#passage,
      call: { ...call, name: SECRET },
      hostFunction: isOwn ? this.#passage.hostFunction : useOf(call.name, wanted),
      args: wanted.use === undefined ? [wanted.name] : [wanted.name, placeOf(wanted.use)],
      aim,
      approved: isOwn ? approved : new Set(),
    };
    const verdict = life.signal.aborted ? undefined : await judge(passage, aim, this.#options);
    if (verdict === undefined) throw new RefusedError(cancelled(call.name));
    await writeFurther(passage, { aim, decision: verdict.decision }, this.#options);
    if (verdict.decision === "denied") {
      throw new RefusedError(refused(SECRET, aim, verdict.reason));
    }
    if (verdict.decision === "changed") {
      throw new RefusedError(refused(SECRET, aim, "the user wants something else used"));
    }
  }
}

/** A secret, and where it is to be filled in; without a use the script itself wants it. */
interface Wanted {
  readonly name: string;
  readonly use?: SecretUse;
}

/** A host has no blank in it: what is allowed for a command is not allowed for a host of its name. */
function placeOf(use: SecretUse): string {
  if ("command" in use) return `command ${use.command}`;
  return use.port === undefined || use.port === 443 || use.port === 80
    ? use.host
    : `${use.host}:${use.port}`;
}

function targetOf({ name, use }: Wanted): string {
  return use === undefined ? name : `${name} for ${placeOf(use)}`;
}

/** What a person who is asked about a use is shown. */
function useOf(caller: string, { name, use }: Wanted): HostFunction {
  return {
    name: SECRET,
    sideEffect: true,
    preview: () =>
      use === undefined
        ? `The script itself gets the value of ${name}.`
        : `${caller} puts the value of ${name} into what goes to ${
          placeOf(use)
        }; the script does not see it.`,
    execute: () => undefined,
  };
}

function checkBound({ hosts }: Secret, { name, use }: Wanted): void {
  const list = new HostList(`the hosts of the secret ${name}`, hosts === undefined ? [] : hosts);
  const request = use !== undefined && "host" in use ? use : undefined;
  const { host: target = "", port, plain = false } = request ?? {};
  const aim = { target, ...(port === undefined ? {} : { port }) };
  if (plain && !list.has(aim, { portNamed: true })) throw unencrypted(name, target);
  if (hosts === undefined || (request !== undefined && list.has(aim))) return;
  throw named(
    "PermissionError",
    `the secret ${name} is for requests to ${
      hosts.join(", ")
    } only: name it there, as {{secret:${name}}}`,
  );
}

function unencrypted(name: string, host: string): Error {
  return named(
    "PermissionError",
    `the secret ${name} is not sent to ${
      shown(host)
    } unencrypted, where everybody on the way can read it: use https`,
  );
}

function checkValue({ value }: Secret, name: string): void {
  if (typeof value !== "string" || value.trim() === "") {
    throw new Error(`the secret ${name} is empty`);
  }
  // As much as the redactor wants.
  if (value.trim().length >= 4) return;
  throw new Error(
    `the secret ${name} has fewer than 4 characters, and so cannot be kept out of logs; it is not given out`,
  );
}

function unknown({ names }: SecretSource, name: string): Error {
  const known = names === undefined ? "" : `; there is: ${names.join(", ") || "none"}`;
  return new Error(`there is no secret named ${shown(name)}${known}`);
}

function named(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}
