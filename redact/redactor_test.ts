import assert from "node:assert/strict";
import { Redactor } from "./redactor.ts";

const KEY = "sk-test-ABCDEFGH12345678";

function streamed(redactor: Redactor, pieces: readonly string[]): string[] {
  const stream = redactor.stream();
  return [...pieces.map((piece) => stream.push(piece)), stream.flush()];
}

Deno.test("Redactor replaces a key that comes in three pieces, and lets go on what cannot be part of it (RED-01)", () => {
  const redactor = Redactor.fromSecrets({ KEY });
  assert.deepEqual(streamed(redactor, ["key is sk-test-ABC", "DEFGH12", "345678 ok"]), [
    "key is ",
    "",
    "[redacted] ok",
    "",
  ]);
  assert.equal(redactor.redact(`key is ${KEY} ok`), "key is [redacted] ok");
});

Deno.test("a redaction stream shows no part of a key wherever it is cut (RED-01)", () => {
  const redactor = Redactor.fromSecrets({ KEY });
  for (let first = 0; first <= KEY.length; first++) {
    for (let second = first; second <= KEY.length; second++) {
      const pieces = [KEY.slice(0, first), KEY.slice(first, second), KEY.slice(second)];
      assert.equal(streamed(redactor, pieces).join(""), "[redacted]", pieces.join("|"));
    }
  }
});

Deno.test("a redaction stream gives back the beginning of a secret that goes on otherwise", () => {
  const redactor = Redactor.fromSecrets({ KEY });
  assert.deepEqual(streamed(redactor, ["a sk-test-ABC", "DEFGx", " sk-t"]), [
    "a ",
    "sk-test-ABCDEFGx",
    " ",
    "sk-t",
  ]);
});

Deno.test("a redaction stream holds nothing back that begins no secret", () => {
  const redactor = Redactor.fromSecrets({ KEY });
  const pieces = ["The answer", " is 42.\n", "Done", "!"];
  assert.deepEqual(streamed(redactor, pieces), [...pieces, ""]);
});

Deno.test("a redaction stream begins anew after its end", () => {
  const stream = Redactor.fromSecrets({ KEY }).stream();
  assert.equal(stream.push("sk-te") + stream.flush(), "sk-te");
  assert.equal(stream.push(`st-${KEY}`) + stream.flush(), "st-[redacted]");
});

Deno.test("a redaction stream never parts the halves of a surrogate pair", () => {
  const redactor = Redactor.fromSecrets({ smile: "so \u{1F600}\u{1F601}!" });
  const text = "\u{1F600} so \u{1F600}\u{1F601}! \u{1F602}";
  const shown = streamed(redactor, text.split(""));
  assert.equal(shown.join(""), "\u{1F600} [redacted] \u{1F602}");
  assert.ok(shown.every((piece) => piece.isWellFormed()));
  assert.equal(streamed(redactor, ["a \uD83D", " \uDE00"]).join(""), "a \uD83D \uDE00");
});

Deno.test("a redaction stream keeps no text of a secret that repeats without end", () => {
  const redactor = Redactor.fromSecrets({ a: "aaaa" });
  const pieces = Array.from({ length: 1000 }, () => "aaa");
  assert.equal(streamed(redactor, ["b", ...pieces, "b"]).join(""), "b[redacted]b");
});

const SECRET = `p"ä/ß\\s wörd+100% \u{1F511}&<k>`;
const DISGUISES: Readonly<Record<string, string>> = {
  "as it is": SECRET,
  "in JSON": JSON.stringify(SECRET).slice(1, -1),
  "in JSON in JSON": JSON.stringify(JSON.stringify(SECRET)).slice(3, -3),
  "in JSON in JSON in JSON": JSON.stringify(JSON.stringify(JSON.stringify(SECRET))).slice(7, -7),
  "in JSON with escaped slashes": JSON.stringify(SECRET).slice(1, -1).replaceAll("/", "\\/"),
  "in JSON that is safe in HTML": JSON.stringify(SECRET).slice(1, -1)
    .replaceAll(/[<>&]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`),
  "in JSON of ASCII": String
    .raw`p\"\u00e4/\u00df\\s w\u00f6rd+100% \ud83d\udd11&<k>`,
  "in JSON of ASCII with large digits": String
    .raw`p\"\u00E4/\u00DF\\s w\u00F6rd+100% \uD83D\uDD11&<k>`,
  "in JavaScript": String.raw`p\x22\xe4\/\xDF\\s w\u{f6}rd\x2b100% \u{1F511}&<k>`,
  "as a URL's component": encodeURIComponent(SECRET),
  "as a URL's component with small digits": encodeURIComponent(SECRET)
    .replaceAll(/%../g, (escape) => escape.toLowerCase()),
  "as a URL": encodeURI(SECRET),
  "as a form's value": new URLSearchParams({ a: SECRET }).toString().slice(2),
  "in a parsed URL's query": new URL(`http://h/?${SECRET.replace("%", "%25").replace("&", "%26")}`)
    .search.slice(1),
  "in a parsed URL's path": new URL(`http://h/${SECRET.replace("%", "%25").replace("\\", "%5c")}`)
    .pathname.slice(1),
  "as a URL's component twice": encodeURIComponent(encodeURIComponent(SECRET)),
  "with every byte as an escape": [...new TextEncoder().encode(SECRET)]
    .map((byte) => `%${byte.toString(16)}`).join(""),
  "in JSON as a URL's component": encodeURIComponent(JSON.stringify(SECRET).slice(1, -1)),
  "in base64": base64Of(SECRET),
  "in base64 for URLs": base64Of(SECRET).replaceAll("+", "-").replaceAll("/", "_"),
  "in base64 without padding": base64Of(SECRET).replaceAll("=", ""),
  "in base64 as a URL's component": encodeURIComponent(base64Of(SECRET)),
  "in base64 on several lines": base64Of(SECRET).replaceAll(/.{16}/g, "$&\r\n"),
  "in base64 on several lines in JSON": base64Of(SECRET).replaceAll(/.{16}/g, "$&\\n"),
  "in hex": hexOf(SECRET),
  "in large hex": hexOf(SECRET).toUpperCase(),
};

function base64Of(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

function hexOf(text: string): string {
  return [...new TextEncoder().encode(text)]
    .map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

for (const [how, disguised] of Object.entries(DISGUISES)) {
  Deno.test(`Redactor finds a secret ${how}, whole and unit by unit`, () => {
    const redactor = Redactor.fromSecrets({ SECRET });
    const text = `before ${disguised} after`;
    assert.equal(redactor.redact(text), "before [redacted] after");
    assert.equal(streamed(redactor, text.split("")).join(""), "before [redacted] after");
  });
}

Deno.test("Redactor finds a secret at each of the places that it can have in a longer base64 text", () => {
  const redactor = Redactor.fromSecrets({ KEY });
  for (const before of ["", "a", "ab", "abc"]) {
    for (const after of ["", "y", "yz"]) {
      const text = base64Of(before + KEY + after);
      const redacted = redactor.redact(text);
      assert.match(redacted, /\[redacted\]/);
      // What is left beside the mark holds what surrounds the secret, and a part of one byte at each end.
      const rest = redacted.replaceAll(/\[redacted\]|=/g, "").length;
      assert.ok(rest * 6 <= (before.length + after.length) * 8 + 12, `${text} ${redacted}`);
    }
  }
});

Deno.test("Redactor finds a secret of several lines with any line breaks, or none", () => {
  const redactor = Redactor.fromSecrets({ pem: "-----BEGIN-----\nMIIEvQIBADANBg\nkqhkiG9w0\n" });
  for (const gap of ["\n", "\r\n", "", "\\n", "\\r\\n", "%0A", "\\\\n"]) {
    const text = `<-----BEGIN-----${gap}MIIEvQIBADANBg${gap}kqhkiG9w0>`;
    assert.equal(redactor.redact(text), "<[redacted]>", JSON.stringify(gap));
  }
});

Deno.test("Redactor takes what stands on two lines for no short secret", () => {
  const redactor = Redactor.fromSecrets({ PIN: "849302" });
  assert.equal(redactor.redact("849\n302 849302\n"), "849\n302 [redacted]\n");
});

Deno.test("Redactor replaces the longest of secrets that contain each other", () => {
  const redactor = Redactor.fromSecrets({ inner: "word", outer: "password1" }, { showNames: true });
  assert.equal(redactor.redact("password1 word pass"), "[redacted:outer] [redacted:inner] pass");
});

Deno.test("Redactor leaves no rest of secrets that overlap, under the name of the longest", () => {
  const redactor = Redactor.fromSecrets({ a: "abcdef", b: "efghijkl" }, { showNames: true });
  assert.equal(redactor.redact("<abcdefghijkl>"), "<[redacted:b]>");
  assert.equal(redactor.redact("<abcdefefghijkl>"), "<[redacted:a][redacted:b]>");
  assert.deepEqual(streamed(redactor, ["<abcdef", "ghijk", "l>"]), ["<", "", "[redacted:b]>", ""]);
});

Deno.test("Redactor puts no mark that shows a secret itself", () => {
  assert.equal(Redactor.fromSecrets({ a: "redacted" }).redact("is redacted."), "is ***.");
  const named = Redactor.fromSecrets({ "db-password": "password", k: "x9[r" }, { showNames: true });
  assert.equal(named.redact("a password, x9[r"), "a ***, ***");
});

Deno.test("Redactor without secrets lets everything pass", () => {
  const none: Record<string, string>[] = [{}, { EMPTY: "" }];
  for (const secrets of none) {
    const redactor = Redactor.fromSecrets(secrets);
    assert.equal(redactor.redact("[any] %41 text"), "[any] %41 text");
    assert.deepEqual(streamed(redactor, ["a", "\uD83D", "\uDE00"]), ["a", "\uD83D", "\uDE00", ""]);
  }
});

Deno.test("Redactor takes white space around a value for no part of the secret", () => {
  assert.equal(Redactor.fromSecrets({ KEY: ` ${KEY}\n` }).redact(`<${KEY}>`), "<[redacted]>");
});

Deno.test("Redactor refuses a secret that is too short by its name, and never by its value", () => {
  const refused = (error: unknown) =>
    error instanceof RangeError && /PIN has 3 characters/.test(error.message) &&
    !error.message.includes("q7z");
  assert.throws(() => Redactor.fromSecrets({ KEY, PIN: " q7z " }), refused);
  assert.throws(() => Redactor.fromSecrets({ BLANK: " \n" }), RangeError);
  assert.equal(
    Redactor.fromSecrets({ PIN: "q7z" }, { minLength: 3 }).redact("q7z!"),
    "[redacted]!",
  );
});

Deno.test("Redactor refuses what is no secret and no length", () => {
  const secrets = { KEY: undefined } as unknown as Record<string, string>;
  assert.throws(
    () => Redactor.fromSecrets(secrets),
    /KEY must be a string, not undefined; an empty one is passed over\.$/,
  );
  for (const minLength of [0, 1.5, NaN, -4]) {
    assert.throws(() => Redactor.fromSecrets({ KEY }, { minLength }), RangeError);
  }
});

Deno.test("Redactor shows nothing of its secrets when it is printed", () => {
  const redactor = Redactor.fromSecrets({ KEY });
  const printed = Deno.inspect(redactor, { depth: 20, showHidden: true }) +
    JSON.stringify(redactor);
  assert.ok(!printed.includes("sk-test") && !printed.includes("KEY"), printed);
});

Deno.test("including makes a redactor that finds overlapping secrets of both as one, and leaves the first as it was", () => {
  const first = Redactor.fromSecrets({ KEY: "inner-0123" }, { showNames: true });
  const both = first.including({ KEY: "outer-inner-0123-end" });
  assert.equal(both.redact("x outer-inner-0123-end y"), "x [redacted:KEY 2] y");
  assert.equal(both.redact("inner-0123"), "[redacted:KEY]");
  assert.equal(first.redact("outer-inner-0123-end"), "outer-[redacted:KEY]-end");
});
