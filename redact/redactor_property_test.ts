/** Random secrets in random texts at random cuts. Every failure names its seed, which makes the same secrets and texts again. */
import assert from "node:assert/strict";
import { Redactor } from "./redactor.ts";
import { formsOf } from "./secret_forms.ts";

const SEEDS = 300;

const ALPHABETS = [
  "abcXYZ0189-_",
  "ab",
  "aA%25+\\u0",
  "xyz \"'\\/%+&=?#<>{}[]|^~:;@!$*(),\u00e9\u4f60\u{1F600}\u{1F511}\n\r\t\u0001",
];
/** What no escape is made of, and no line break. */
const PLAIN_ALPHABETS = ["abcXYZ0189-_", "ab", "xyz \"'/&=?#<>|^~:;@!\u00e9\u4f60\u{1F600}"];

/** Numbers that look random and follow from a seed (mulberry32). */
class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  below(end: number): number {
    this.#state = this.#state + 0x6d2b79f5 | 0;
    let mixed = Math.imul(this.#state ^ this.#state >>> 15, 1 | this.#state);
    mixed = mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed) ^ mixed;
    return Math.floor(((mixed ^ mixed >>> 14) >>> 0) / 2 ** 32 * end);
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }

  text(alphabet: string, length: number): string {
    const characters = [...alphabet];
    return Array.from({ length }, () => this.pick(characters)).join("");
  }
}

function randomSecrets(dice: Dice, alphabets: readonly string[]): string[] {
  const secrets: string[] = [];
  while (secrets.length < 4) {
    const known = dice.pick([...secrets, ""]);
    const secret = dice.pick([
      () => dice.text(dice.pick(alphabets), 4 + dice.below(30)),
      // One that contains another, is contained in it, or begins with its end.
      () => dice.text("ab", 1 + dice.below(3)) + known,
      () => known.slice(1, -1),
      () => known.slice(-3) + dice.text(dice.pick(alphabets), 1 + dice.below(8)),
    ])().toWellFormed();
    if (secret.trim().length >= 4) secrets.push(secret);
  }
  return secrets;
}

function randomText(
  dice: Dice,
  { forms, alphabets }: {
    readonly forms: readonly string[];
    readonly alphabets: readonly string[];
  },
): string {
  const parts = Array.from({ length: 1 + dice.below(20) }, () => {
    const form = dice.pick(forms);
    return dice.pick([
      () => form,
      () => form,
      () => form.slice(0, dice.below(form.length)),
      () => form.slice(dice.below(form.length)),
      () => dice.text(dice.pick(alphabets), dice.below(12)),
      () => " some words ",
    ])();
  });
  return parts.join("");
}

function streamed(redactor: Redactor, { text, dice }: { text: string; dice: Dice }): string {
  const stream = redactor.stream();
  let shown = "";
  for (let at = 0; at < text.length;) {
    const end = at + dice.pick([0, 1, 1, 2, 3, 5, 8, 20]);
    shown += stream.push(text.slice(at, end));
    at = end;
  }
  return shown + stream.flush();
}

function formsOfAll(secrets: readonly string[]): string[] {
  return secrets.flatMap((secret) => formsOf(secret.trim()));
}

/** What is left of a text without the ranges of all forms: slow, and plainly right where there is no escape. */
function redactedSlowly(text: string, forms: readonly string[]): string {
  const covered = new Uint8Array(text.length);
  const joined = new Uint8Array(text.length + 1);
  for (const form of forms) {
    for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + 1)) {
      covered.fill(1, at, at + form.length);
      joined.fill(1, at + 1, at + form.length);
    }
  }
  let shown = "";
  for (let at = 0; at < text.length; at++) {
    if (covered[at] === 0) shown += text[at];
    else if (joined[at] === 0) shown += "[redacted]";
  }
  return shown;
}

function redactorOf(secrets: readonly string[]): Redactor {
  return Redactor.fromSecrets(Object.fromEntries(secrets.map((value, n) => [`S${n}`, value])));
}

function forEachSeed(check: (dice: Dice) => void): void {
  for (let seed = 1; seed <= SEEDS; seed++) {
    try {
      check(new Dice(seed));
    } catch (error) {
      throw new Error(`with seed ${seed}`, { cause: error });
    }
  }
}

Deno.test("no text holds any form of any secret, and pieces give the same as the whole", () => {
  forEachSeed((dice) => {
    const secrets = randomSecrets(dice, ALPHABETS);
    const forms = formsOfAll(secrets);
    const redactor = redactorOf(secrets);
    for (let n = 0; n < 5; n++) {
      const text = randomText(dice, { forms, alphabets: ALPHABETS });
      const redacted = redactor.redact(text);
      for (const form of forms) {
        assert.ok(!redacted.includes(form), JSON.stringify({ secrets, text, redacted, form }));
      }
      assert.equal(streamed(redactor, { text, dice }), redacted, JSON.stringify({ secrets, text }));
    }
  });
});

Deno.test("where nothing is escaped, exactly the forms of secrets are replaced", () => {
  forEachSeed((dice) => {
    const secrets = randomSecrets(dice, PLAIN_ALPHABETS);
    const forms = formsOfAll(secrets);
    const redactor = redactorOf(secrets);
    const planted = forms.filter((form) => !/[%+\\\r\n]/.test(form));
    for (let n = 0; n < 5; n++) {
      const text = randomText(dice, { forms: planted, alphabets: PLAIN_ALPHABETS }).toWellFormed();
      assert.equal(
        redactor.redact(text),
        redactedSlowly(text, forms),
        JSON.stringify({ secrets, text }),
      );
    }
  });
});

Deno.test("text without a secret stays as it is, whatever escapes it holds", () => {
  forEachSeed((dice) => {
    const redactor = redactorOf([dice.text("KLMNOP", 12), dice.text("QRSTUVW\u00fc", 16)]);
    const text = dice.text(ALPHABETS.join("").replaceAll(/[A-Z]/g, ""), 400);
    assert.equal(redactor.redact(text), text);
    assert.equal(streamed(redactor, { text, dice }), text);
  });
});

/** Encoders that choose anew for every character whether and how to escape it. */
const ENCODERS: Readonly<Record<string, (dice: Dice, text: string) => string>> = {
  url: (dice, text) =>
    [...text].map((character) => {
      if (/[\w.-]/.test(character) || (character !== "%" && dice.below(2) === 0)) return character;
      return [...new TextEncoder().encode(character)].map((byte) => percent(dice, byte)).join("");
    }).join(""),
  form: (dice, text) =>
    [...text].map((character) => {
      if (character === " ") return dice.pick(["+", "%20"]);
      if (character !== "%" && character !== "+" && dice.below(2) === 0) return character;
      return [...new TextEncoder().encode(character)].map((byte) => percent(dice, byte)).join("");
    }).join(""),
  json: (dice, text) =>
    text.split("").map((unit) => {
      const code = unit.charCodeAt(0).toString(16).padStart(4, "0");
      const escape = `\\u${dice.pick([code, code.toUpperCase()])}`;
      return dice.pick([JSON.stringify(unit).slice(1, -1), escape]);
    }).join(""),
};

function percent(dice: Dice, byte: number): string {
  const hex = byte.toString(16).padStart(2, "0");
  return `%${dice.pick([hex, hex.toUpperCase()])}`;
}

const CHAINS = [["url"], ["form"], ["json"], ["url", "url"], ["json", "json"], ["json", "url"]];

for (const chain of CHAINS) {
  Deno.test(`a secret is found through ${chain.join(" in ")} whatever the encoder escapes`, () => {
    forEachSeed((dice) => {
      const secret = dice.text(dice.pick(ALPHABETS), 6 + dice.below(20)).trim();
      if (secret.length < 4) return;
      const redactor = redactorOf([secret]);
      const encoded = chain.reduce((text, name) => ENCODERS[name]!(dice, text), secret);
      const text = `- ${encoded} -`;
      const redacted = redactor.redact(text);
      assert.match(
        redacted,
        /^- (\[redacted\]|\*\*\*|\u2588{3}) -$/,
        JSON.stringify({ secret, text }),
      );
      assert.equal(streamed(redactor, { text, dice }), redacted);
    });
  });
}
