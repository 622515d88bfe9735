import { deepEqual, equal, ok } from "node:assert/strict";
import {
  LANGUAGES,
  measureAddresses,
  measureClaims,
  PRECISION_BAR,
  precisionOf,
  readSentencesOf,
  RECALL_BAR,
  recallOf,
  sumFigures,
} from "../../../bench/claims/measure_claims.ts";
import { findAddresses, findClaims } from "../../../ext/assistant/mod.ts";

const kinds = (text: string) => findClaims(text).map(({ kind }) => kind);

Deno.test("claims: on the half that was kept from tuning precision and recall hold their bars", () => {
  const figures = sumFigures(
    LANGUAGES.map((language) => measureClaims(readSentencesOf("kept", language))),
  );
  ok(precisionOf(figures) >= PRECISION_BAR, `precision ${precisionOf(figures)}`);
  ok(recallOf(figures) >= RECALL_BAR, `recall ${recallOf(figures)}`);
});

for (const language of LANGUAGES) {
  Deno.test(`claims: the labelled sentences (${language}) are enough, half of them claims, and each stands once`, () => {
    const kept = readSentencesOf("kept", language);
    const tuning = readSentencesOf("tuning", language);
    const texts = [...kept, ...tuning].map(({ text }) => text);
    equal(new Set(texts).size, texts.length);
    ok(kept.length >= 27 && tuning.length >= kept.length);
    const claims = kept.filter(({ claims }) => claims.length > 0).length;
    ok(Math.abs(claims - kept.length / 2) <= 1);
  });

  Deno.test(`claims: every address of the labelled sentences (${language}) is found, and nothing else`, () => {
    const all = [...readSentencesOf("kept", language), ...readSentencesOf("tuning", language)];
    equal(measureAddresses(all), all.length);
  });

  Deno.test(`claims: the sentences it was written with (${language}) hold the same bars`, () => {
    const figures = measureClaims(readSentencesOf("tuning", language));
    ok(precisionOf(figures) >= PRECISION_BAR && recallOf(figures) >= RECALL_BAR);
  });
}

Deno.test("claims: each is told once, with the language it is made in", () => {
  deepEqual(findClaims("Salvei tudo. I saved it. E enviei o e-mail."), [
    { kind: "saved", language: "pt" },
    { kind: "sent", language: "pt" },
  ]);
  deepEqual(findClaims(""), []);
});

Deno.test("claims: dress does not hide one", () => {
  for (
    const text of [
      "**I've saved** the report.",
      "- I\u2019ve saved the report",
      "# Done\n\nI've _saved_ it as [report.html](x).",
      "✅ I HAVE SAVED THE REPORT!!!",
      "Sure — I've saved the report…",
      "Three stories (see below). I've saved the report.\r\n\r\nBye",
      "I've saved `report.html`.",
    ]
  ) deepEqual(kinds(text), ["saved"], text);
});

Deno.test("claims: what stands in code, in a quoted line or between quotation marks is no claim", () => {
  for (
    const text of [
      "```\nI saved it.\n```",
      "~~~txt\nI saved it.\n",
      "> I saved it.",
      '"I saved it."',
      "„Ich habe es gespeichert.“",
      "«Salvei o arquivo.»",
      "`I saved it.`",
    ]
  ) deepEqual(kinds(text), [], text);
  deepEqual(kinds("```\ncode\n```\nI saved it."), ["saved"]);
  deepEqual(kinds('A mark that " closes nothing: I saved it.'), ["saved"]);
});

Deno.test("claims: a letter that is drafted for somebody is no claim, what stands around it is", () => {
  const letter = "Dear Ana,\n\nI have sent the contract.\n\nBest regards,\nTom";
  deepEqual(kinds(`Here is a draft:\n\n${letter}`), []);
  deepEqual(kinds(`Here is a draft:\n\nSubject: Contract\n\n${letter}`), []);
  deepEqual(kinds(`Here is a draft:\n\n${letter}\n\nI also saved it.`), ["saved"]);
  // Without a line that announces it, it is the answer itself.
  deepEqual(kinds("Hi Ana,\n\nI have sent the contract."), ["sent"]);
});

Deno.test("claims: a text of a megabyte is read, whatever it is made of", () => {
  const units = [
    "i have ",
    '"',
    "“",
    "`",
    "](",
    "§",
    "_",
    "a.",
    "> ",
    "by ",
    "http://",
    "\n",
    "saved",
  ];
  for (const unit of units) {
    const text = unit.repeat(Math.ceil(2 ** 20 / unit.length));
    ok(findClaims(text).length <= 4);
    ok(findAddresses(text).length <= 1);
  }
  deepEqual(kinds(`${"so ".repeat(300_000)}. I saved it.`), ["saved"]);
});

Deno.test("claims: addresses are found however they are written", () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["See /artifacts/1234-abcd/news.html.", ["/artifacts/1234-abcd/news.html"]],
    ["[View](/artifacts/1/a.html)", ["/artifacts/1/a.html"]],
    ['<a href="/artifacts/1/a.html">', ["/artifacts/1/a.html"]],
    ["<a href=/artifacts/1/a.html>", ["/artifacts/1/a.html"]],
    ["**/artifacts/1/a.html**", ["/artifacts/1/a.html"]],
    ["`/artifacts/1/a.html`", ["/artifacts/1/a.html"]],
    ["```\n/artifacts/1/a.html\n```", ["/artifacts/1/a.html"]],
    ["./artifacts/1/a.html", ["/artifacts/1/a.html"]],
    ["(/artifacts/a-b_C/news%20%281%29.html?version=2)", [
      "/artifacts/a-b_C/news%20%281%29.html?version=2",
    ]],
    ["/artifacts/1/notes-", ["/artifacts/1/notes-"]],
    ["https://host.example/artifacts/1/a.html#top", ["https://host.example/artifacts/1/a.html"]],
    ["http://127.0.0.1:8787/artifacts/1/a.html?v=2", [
      "http://127.0.0.1:8787/artifacts/1/a.html?v=2",
    ]],
    ["localhost:8787/artifacts/1/a.html", ["localhost:8787/artifacts/1/a.html"]],
    ["/Artifacts/1/a.html", ["/artifacts/1/a.html"]],
    ["/artifacts/1/a,/artifacts/2/b", ["/artifacts/1/a", "/artifacts/2/b"]],
    ["/artifacts/1/a /artifacts/1/a", ["/artifacts/1/a"]],
    ["dist/artifacts/1/a.zip, https://git.example/o/r/artifacts/1", []],
    ["GET /artifacts/{id}/{name}, /artifacts/:id, /artifacts/..., /artifacts/<id>", []],
    ["the folder /artifacts/ and artifacts/1", []],
  ];
  for (const [text, expected] of cases) deepEqual(findAddresses(text), expected, text);
});
