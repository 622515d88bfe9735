/** What becomes of a filename that a model wrote, of its type, and of the address that people open. */
import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { artifactAddress } from "../../../ext/artifacts/artifact_address.ts";
import { ARTIFACT_TYPES, artifactType, deliveryOf } from "../../../ext/artifacts/artifact_types.ts";
import { cleanFilename } from "../../../ext/artifacts/clean_filename.ts";
import { MemoryStore } from "../../../stores/memory.ts";

const CLEANED: readonly (readonly [given: string, clean: string])[] = [
  ["report.html", "report.html"],
  ["Q3 report (final), v2 + notes.html", "Q3 report (final), v2 + notes.html"],
  ["Grüße 你好 👩‍👩‍👧 ❤️.md", "Grüße 你好 👩‍👩‍👧 ❤️.md"],
  ["👋.html", "👋.html"],
  ["a/b.html", "a-b.html"],
  ["a\\b.html", "a-b.html"],
  ["../../etc/passwd", "etc-passwd"],
  ["..\\..\\Windows\\win.ini", "Windows-win.ini"],
  ["/etc/passwd", "etc-passwd"],
  ["C:\\Users\\a.txt", "C--Users-a.txt"],
  ["a/../b/./c.txt", "a-b-c.txt"],
  ["./a.txt", "a.txt"],
  ["a..b.txt", "a..b.txt"],
  [".htaccess", "htaccess"],
  ["-rf", "rf"],
  ["--help.txt", "help.txt"],
  ["a.txt. . .", "a.txt"],
  ["a.html ", "a.html"],
  ["  a  b\t\n c .txt", "a b c .txt"],
  ["a\0b.txt", "ab.txt"],
  ["a\u001b[31mb.txt", "a[31mb.txt"],
  ["a\r\nSet-Cookie: x=1.txt", "a Set-Cookie- x=1.txt"],
  ["invoice\u202efdp.exe", "invoicefdp.exe"],
  ["\u2066a\u2069\u200e\u200f\u061c.txt", "a.txt"],
  ["a\u200bb\u00ad\ufeff\u2060.txt", "ab.txt"],
  ["a\uD83Db.txt", "ab.txt"],
  ["a\u2028b.txt", "a b.txt"],
  ['a<b>:"c|d?*.txt', "a-b-c-d-.txt"],
  ["con", "_con"],
  ["CON.html", "_CON.html"],
  ["nul.tar.gz", "_nul.tar.gz"],
  ["com1", "_com1"],
  ["LPT9.txt", "_LPT9.txt"],
  ["com¹.txt", "_com¹.txt"],
  ["aux .txt", "_aux .txt"],
  ["console.txt", "console.txt"],
  ["com10.txt", "com10.txt"],
  ["e\u0301.txt", "\u00e9.txt"],
  ["x".repeat(251) + ".txt", "x".repeat(251) + ".txt"],
];

for (const [given, clean] of CLEANED) {
  Deno.test(`artifacts: the filename ${JSON.stringify(given.slice(0, 40))} becomes one that is safe`, () => {
    equal(cleanFilename(given), clean);
    equal(cleanFilename(clean), clean, "a clean name stays as it is");
  });
}

Deno.test("artifacts: whatever a filename holds, what is left of it is one visible segment that the store takes", async () => {
  const { artifacts } = new MemoryStore();
  let seed = 42;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor(seed / 2_147_483_648 * below);
  };
  const parts = ["/", "\\", "..", ".", " ", "\0", "\u202e", "con", "a", "é", "👋", "\uD83D", "-"]
    .concat(["%2f", "\u200b", "\u3164", "\u2800", "*", ":", "~", "'", "\u007f", "\u0085", "x.y"]);
  let kept = 0;
  for (let n = 0; n < 2000; n++) {
    const given = Array.from({ length: 1 + random(6) }, () => parts[random(parts.length)]).join("");
    let name: string;
    try {
      name = cleanFilename(given);
    } catch (error) {
      ok(error instanceof TypeError && error.message.includes("report.html"), String(error));
      continue;
    }
    kept++;
    const saved = await artifacts.save({}, {
      sessionId: `s${n}`,
      filename: name,
      title: "",
      type: "text/plain",
      content: "",
    });
    const url = new URL(artifactAddress(saved), "http://127.0.0.1");
    deepEqual(url.pathname.split("/").map(decodeURIComponent), ["", "artifacts", saved.id, name]);
    equal(cleanFilename(name), name, JSON.stringify(given));
  }
  ok(kept > 1000);
});

Deno.test("artifacts: a filename with nothing in it is an error that says what to give, and so is one that is too long", () => {
  for (
    const given of ["", " ", ".", "..", "/", "../..", "\0\u202e", "\u200d", "\u3164\u2800", "---"]
  ) {
    throws(() => cleanFilename(given), { name: "TypeError", message: /such as report\.html/ });
  }
  throws(() => cleanFilename("x".repeat(252) + ".txt"), {
    name: "RangeError",
    message: "A filename may have 255 bytes, this one has 256. Shorten it.",
  });
  throws(() => cleanFilename("é".repeat(128)), RangeError);
});

Deno.test("artifacts: the type is what was asked for, in any of its forms, or what the filename says", () => {
  const types = [
    ["a.html", undefined, "text/html"],
    ["a.HTM", "", "text/html"],
    ["a.tar.md", undefined, "text/markdown"],
    ["html", undefined, "text/plain"],
    ["main.py", undefined, "text/plain"],
    ["a.svg", undefined, "image/svg+xml"],
    ["a.csv", undefined, "text/csv"],
    ["a.txt", "text/html", "text/html"],
    ["a.txt", "Text/HTML; charset=UTF-8", "text/html"],
    ["a", "markdown", "text/markdown"],
    ["a", "html", "text/html"],
    ["a", "JSON", "application/json"],
    ["a.toString", undefined, "text/plain"],
  ] as const;
  for (const [filename, asked, type] of types) equal(artifactType(filename, asked), type, filename);
  for (
    const asked of [
      "text/x",
      "application/pdf",
      "document",
      "application/xhtml+xml",
      "text/html\n,",
    ]
      .concat(["multipart/related", "constructor", "image/png"])
  ) {
    throws(
      () => artifactType("a.html", asked),
      /cannot have the type .*Leave it out.*text\/html, /,
    );
  }
});

Deno.test("artifacts: no type reaches a browser as a script, a style or XML, and unknown ones are bytes to keep", () => {
  const sent = ARTIFACT_TYPES.map(({ type }) => deliveryOf(type))
    .filter(({ showing }) => showing === "text").map(({ sentAs }) => sentAs);
  deepEqual([...new Set(sent)].sort(), [
    "application/json; charset=utf-8",
    "text/markdown; charset=utf-8",
    "text/plain; charset=utf-8",
  ]);
  for (const type of ["application/pdf", "application/xhtml+xml", "text/xml", "image/png"]) {
    deepEqual(deliveryOf(type), { showing: "file", sentAs: "application/octet-stream" });
  }
});

Deno.test("artifacts: an address holds in Markdown, in quotes and in a URL, whatever the name", () => {
  const id = "abcdefghijklmnopqrstuvwxyz";
  equal(artifactAddress({ id, filename: "news.html" }), `/artifacts/${id}/news.html`);
  equal(
    artifactAddress({ id, filename: "Q3 (a)'b*!?#%41&é👋.html" }),
    `/artifacts/${id}/Q3%20%28a%29%27b%2A%21%3F%23%2541%26%C3%A9%F0%9F%91%8B.html`,
  );
  equal(artifactAddress({ id, filename: "a" }, { version: 3 }), `/artifacts/${id}/a?version=3`);
});
