import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import type { CallRowOutcome } from "../../../contracts/call_log.ts";
import type { AnswerObjection } from "../../../contracts/review.ts";
import {
  type ClaimReviewOptions,
  DEFAULT_DEEDS,
  reviewClaims,
} from "../../../ext/assistant/mod.ts";
import { MemoryStore } from "../../../stores/memory.ts";

/** A call that was made in a session. */
interface Made {
  readonly name: string;
  readonly args?: readonly unknown[];
  /** Nothing where the call has not ended. */
  readonly outcome?: CallRowOutcome | "none";
  readonly sessionId?: string;
}

/** What a review says of a text in a session with these calls. */
async function review(
  text: string,
  { made = [], ...options }: ClaimReviewOptions & { readonly made?: readonly Made[] } = {},
): Promise<AnswerObjection | undefined> {
  const calls = new MemoryStore();
  for (const [sequence, one] of made.entries()) {
    const { name, args = [], outcome = "ok", sessionId = "s" } = one;
    const id = await calls.startCall({
      sessionId,
      runId: "earlier",
      turn: 1,
      sequence,
      name,
      argsJson: JSON.stringify(args),
      decision: outcome === "refused" ? "denied" : "allowed",
      startedAt: new Date(0),
    });
    if (outcome === "none") continue;
    await calls.endCall(id, { outcome, durationMs: 1, resultBytes: 0 });
  }
  const { signal } = new AbortController();
  return await reviewClaims(options)({ text, sessionId: "s", runId: "r", calls, signal });
}

const SAID = {
  saved: "I've saved the report.",
  scheduled: "I've scheduled the reminder.",
  sent: "I've sent the email.",
  published: "I've published the article.",
} as const;

Deno.test("claim review: an answer that claims nothing passes, and the log is not read", async () => {
  const calls = {
    calls: () => Promise.reject(new Error("not to be read")),
  } as unknown as MemoryStore;
  const { signal } = new AbortController();
  const answer = { text: "It is 7 degrees.", sessionId: "s", runId: "r", calls, signal };
  equal(await reviewClaims()(answer), undefined);
});

for (const [kind, text] of Object.entries(SAID)) {
  Deno.test(`claim review: ${kind} without a call that did it is objected to`, async () => {
    const objection = await review(text, { made: [{ name: "web_search" }] });
    deepEqual(objection?.claims, [kind]);
    match(objection!.tell, new RegExp(`something was ${kind}`));
    match(
      objection!.warning,
      new RegExp(`^\\[Warning: this answer says that something was ${kind}`),
    );
  });
}

const SHOWN: readonly (readonly [keyof typeof SAID, Made])[] = [
  ["saved", { name: "artifact_save" }],
  ["saved", { name: "writeFile" }],
  ["saved", { name: "editFile" }],
  ["saved", { name: "remember" }],
  ["saved", { name: "exec", args: [["sh", "make.sh"]] }],
  ["saved", { name: "notes_create" }],
  ["scheduled", { name: "proactive_create" }],
  ["scheduled", { name: "createCalendarEvent" }],
  ["scheduled", { name: "exec", args: [["crontab", "-"]] }],
  ["sent", { name: "sendEmail" }],
  ["sent", { name: "slack_send" }],
  ["sent", { name: "fetch", args: ["https://hooks.example/x", { method: "post" }] }],
  ["sent", { name: "fetch", args: [{ url: "https://hooks.example/x", method: "POST" }] }],
  ["sent", { name: "http", args: ["https://hooks.example/x", { method: "POST" }] }],
  ["published", { name: "artifact_save" }],
  ["published", { name: "publishPost" }],
  ["published", { name: "http", args: ["https://blog.example/x", { method: "PUT" }] }],
  ["published", { name: "exec", args: [["git", "push"]] }],
];

for (const [kind, made] of SHOWN) {
  Deno.test(`claim review: ${made.name} ${JSON.stringify(made.args ?? [])} shows that something was ${kind}`, async () => {
    equal(await review(SAID[kind], { made: [made] }), undefined);
    for (const outcome of ["error", "timeout", "refused", "result", "cancelled", "none"] as const) {
      deepEqual((await review(SAID[kind], { made: [{ ...made, outcome }] }))?.claims, [kind]);
    }
    const elsewhere = await review(SAID[kind], { made: [{ ...made, sessionId: "other" }] });
    deepEqual(elsewhere?.claims, [kind]);
  });
}

const SHOWS_NOTHING: readonly (readonly [keyof typeof SAID, Made])[] = [
  ["saved", { name: "proactive_create" }],
  ["saved", { name: "readFile" }],
  ["saved", { name: "sendEmail" }],
  ["scheduled", { name: "artifact_save" }],
  ["scheduled", { name: "schedule_list" }],
  ["scheduled", { name: "cancelReminder" }],
  ["scheduled", { name: "exec", args: [["cat", "notes.md"]] }],
  ["sent", { name: "fetch", args: ["https://a.example/POST"] }],
  ["sent", { name: "fetch", args: ["https://a.example", { method: "GET" }] }],
  ["sent", { name: "fetch", args: [] }],
  ["published", { name: "writeFile" }],
  ["published", { name: "list_posts" }],
];

for (const [kind, made] of SHOWS_NOTHING) {
  Deno.test(`claim review: ${made.name} ${JSON.stringify(made.args ?? [])} does not show that something was ${kind}`, async () => {
    deepEqual((await review(SAID[kind], { made: [made] }))?.claims, [kind]);
  });
}

Deno.test("claim review: of several claims those are told that nothing shows, in a long log too", async () => {
  const filler = Array.from({ length: 1100 }, (): Made => ({ name: "web_search" }));
  const text = "I saved the list as groceries.md and scheduled a reminder for Saturday.";
  const made = [...filler, { name: "artifact_save" }];
  deepEqual((await review(text, { made }))?.claims, ["scheduled"]);
  equal(await review(text, { made: [{ name: "proactive_create" }, ...made] }), undefined);
});

Deno.test("claim review: the map is the caller's to change, a kind at a time", async () => {
  const deeds = { sent: [...DEFAULT_DEEDS.sent, "page_oncall"] };
  const made = [{ name: "page_oncall" }];
  deepEqual((await review(SAID.sent, { made }))?.claims, ["sent"]);
  equal(await review(SAID.sent, { made, deeds }), undefined);
  const strict = { saved: [({ argsJson }: { argsJson: string }) => argsJson.includes("report")] };
  deepEqual((await review(SAID.saved, { made: [{ name: "writeFile" }], deeds: strict }))?.claims, [
    "saved",
  ]);
  equal(
    await review(SAID.saved, { made: [{ name: "writeFile", args: ["report.md"] }], deeds: strict }),
    undefined,
  );
});

Deno.test("claim review: an address passes only when it is known, to the letter, and without its host", async () => {
  const known = "/artifacts/1234-abcd/news.html";
  const asked: unknown[] = [];
  const options: ClaimReviewOptions = {
    isKnownAddress: (address, { sessionId }) => {
      asked.push([address, sessionId]);
      return Promise.resolve(address === known);
    },
    origins: ["http://127.0.0.1:8787/"],
  };
  const made = [{ name: "artifact_save" }];
  const passes = async (address: string) =>
    await review(`Your page: ${address}`, { ...options, made }) === undefined;
  ok(await passes(known));
  ok(await passes(`[here](${known})`));
  ok(await passes(`http://127.0.0.1:8787${known}`));
  ok(!await passes(`https://evil.example${known}`));
  ok(!await passes("/artifacts/1234-abce/news.html"));
  ok(!await passes("/artifacts/1234-abcd/news.htm"));
  ok(!await passes("/artifacts/1234-abcd/"));
  deepEqual(asked[0], [known, "s"]);
  // Without anybody who knows, no address is known.
  const objection = await review(`Your page: ${known}`, { made });
  deepEqual(objection?.claims, ["address"]);
  match(objection!.tell, /names \/artifacts\/1234-abcd\/news\.html, but no successful call/);
});

Deno.test("claim review: many addresses and long ones are told in a few words, and asked about up to a bound", async () => {
  let count = 0;
  const text = Array.from({ length: 500 }, (_, at) => `/artifacts/${at}/${"x".repeat(300)}`).join(
    " ",
  );
  const objection = await review(text, { isKnownAddress: () => ++count > 0 });
  equal(count, 64);
  ok(objection!.tell.length < 1000 && objection!.warning.length < 1000);
});

Deno.test("claim review: the warning is in the language of the claim, or of the text", async () => {
  match(
    (await review("Salvei o arquivo."))!.warning,
    /^\[Aviso: esta resposta diz que algo foi salvo/,
  );
  match(
    (await review("Ich habe die Datei gespeichert."))!.warning,
    /^\[Warnung: diese Antwort sagt/,
  );
  match(
    (await review("Dein Dashboard ist unter /artifacts/1/a"))!.warning,
    /^\[Warnung: kein Aufruf/,
  );
  match((await review("Seu painel está em /artifacts/1/a"))!.warning, /^\[Aviso: nenhuma chamada/);
  match((await review("/artifacts/1/a"))!.warning, /^\[Warning: no call gave/);
});

Deno.test("claim review: wrong options are refused at once", () => {
  throws(
    () => reviewClaims({ isKnownAddress: true as never }),
    /isKnownAddress must be a function/,
  );
  throws(() => reviewClaims({ deeds: { sent: "x" as never } }), /deeds\.sent must be a list/);
});
