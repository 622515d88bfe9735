/**
 * An assistant from end to end: it looks something up, makes a page of it and gives the page's address; and one that only says so. Real guests, a real file; the model is
 * scripted, and the two tools are stand-ins.
 */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { RunEvent } from "../../../contracts/event.ts";
import type { LoopConfig, LoopProtocol, RunRequest } from "../../../contracts/loop.ts";
import { createAssistant } from "../../../ext/assistant/mod.ts";
import { type ScriptedClient, scriptedClient, type ScriptedStep } from "../../../llm/scripted.ts";
import { createLoop } from "../../../loop/create_loop.ts";
import { AllowAll } from "../../../loop/policy.ts";
import { DefaultSandboxBuilder } from "../../../sandbox/default_builder.ts";
import { openSqliteStore, type SqliteStore } from "../../../stores/sqlite/mod.ts";
import { defineTool, toolCapability, ToolRegistry } from "../../../tools/mod.ts";
import { StoreFolder } from "../../fixtures/store_folder.ts";

const ADDRESS = "/artifacts/1234-abcd/news.html";
const STORIES = ["A bank opens its API", "A satellite is lost", "Schools get tablets"];
const ASKED =
  'Search for recent tech news in Brazil, summarize the top 3, and make a page "news.html".';
const TRUE_ANSWER = `Today's top stories: ${
  STORIES.join("; ")
}. I have also saved your page: [View](${ADDRESS}).`;
const FALSE_ANSWER =
  `I've generated the page and saved it: [View](/artifacts/beef-0000/news.html).`;

/** The stand-ins, and what they were asked for. */
function standIns() {
  const saved: { filename: string; content: string }[] = [];
  const given = new Set<string>();
  const tools = [
    defineTool({
      name: "web_search",
      description: "Searches the web",
      parameters: {
        type: "object",
        properties: { query: { type: "string" } },
        required: ["query"],
      },
      execute: () => STORIES,
    }),
    defineTool({
      name: "artifact_save",
      description: "Saves a document and gives its address",
      parameters: {
        type: "object",
        properties: {
          filename: { type: "string" },
          title: { type: "string" },
          content: { type: "string" },
          type: { type: "string" },
        },
        required: ["filename", "title", "content"],
      },
      sideEffect: true,
      execute: ({ filename, content }) => {
        saved.push({ filename, content });
        given.add(ADDRESS);
        return { address: ADDRESS };
      },
    }),
  ];
  return { tools, saved, isKnownAddress: (address: string) => given.has(address) };
}

/** What a test has of one message. */
interface Played {
  readonly result: Awaited<ReturnType<ReturnType<typeof createLoop>["run"]>>;
  readonly events: readonly RunEvent[];
  readonly llm: ScriptedClient;
  readonly saved: readonly { readonly filename: string; readonly content: string }[];
}

/** Puts one message to an assistant. */
async function play(
  store: SqliteStore,
  { protocol, replies, config = {}, request = {} }: {
    readonly protocol: LoopProtocol;
    readonly replies: readonly ScriptedStep[];
    readonly config?: Partial<LoopConfig>;
    readonly request?: Partial<RunRequest>;
  },
): Promise<Played> {
  const { tools, saved, isKnownAddress } = standIns();
  await using sandboxBuilder = new DefaultSandboxBuilder({ capabilities: [toolCapability(tools)] });
  const registry = new ToolRegistry();
  for (const tool of tools) registry.register(tool);
  const llm = scriptedClient(replies);
  const assistant = createAssistant({
    steps: store,
    timeZone: "America/Sao_Paulo",
    now: () => new Date("2026-09-27T22:15:00Z"),
    isKnownAddress,
  });
  const loop = createLoop({
    ...assistant.config,
    llm,
    sessions: store,
    steps: store,
    calls: store,
    policy: new AllowAll(),
    protocol,
    ...(protocol === "tools" ? { tools: registry } : { sandboxBuilder }),
    ...config,
  });
  const events: RunEvent[] = [];
  const prepared = await assistant.prepare({ sessionId: "s", message: ASKED, ...request });
  const result = await loop.run({ ...prepared, onEvent: (event) => events.push(event) });
  llm.assertDone();
  return { result, events, llm, saved };
}

const block = (source: string) => `\`\`\`javascript\n${source}\n\`\`\``;

/** The steps of the chain, as each protocol takes them. */
const SEARCH: Readonly<Record<"code" | "tools", ScriptedStep>> = {
  code: block('function run() { return web_search({ query: "tech news Brazil" }); }'),
  tools: { toolCalls: [{ name: "web_search", arguments: { query: "tech news Brazil" } }] },
};
const SAVE: Readonly<Record<"code" | "tools", ScriptedStep>> = {
  code: block(
    `function run(args) {
  const content = "<!DOCTYPE html><ul>" + args.map((story) => "<li>" + story).join("") + "</ul>";
  return artifact_save({ filename: "news.html", title: "Tech News Brazil", content });
}`,
  ),
  tools: {
    toolCalls: [{
      name: "artifact_save",
      arguments: {
        filename: "news.html",
        title: "Tech News Brazil",
        content: `<!DOCTYPE html><ul>${STORIES.map((story) => `<li>${story}`).join("")}</ul>`,
      },
    }],
  },
};

const shownText = (events: readonly RunEvent[]) =>
  JSON.stringify(events.filter(({ type }) => !type.startsWith("execute_js")));

for (const protocol of ["code", "tools"] as const) {
  Deno.test(`assistant (${protocol}): search, summarize, artifact, and an answer with the right address`, async () => {
    using folder = new StoreFolder();
    await using store = openSqliteStore(`${folder.path}/store.db`);
    const replies = [SEARCH[protocol], SAVE[protocol], TRUE_ANSWER];
    const { result, saved, events } = await play(store, { protocol, replies });
    deepEqual([result.status, result.finalText, result.flagged], [
      "completed",
      TRUE_ANSWER,
      undefined,
    ]);
    equal(saved.length, 1);
    match(saved[0]!.content, /^<!DOCTYPE html><ul><li>A bank opens its API.*tablets<\/ul>$/);
    const rows = await store.calls("s");
    deepEqual(rows.map(({ name, outcome }) => [name, outcome]), [
      ["web_search", "ok"],
      ["artifact_save", "ok"],
    ]);
    ok(!events.some(({ type }) => type === "answer_held_back"));
  });

  Deno.test(`assistant (${protocol}): one that only pretends is caught, told once, and warned of when it insists`, async () => {
    using folder = new StoreFolder();
    await using store = openSqliteStore(`${folder.path}/store.db`);
    const replies = [SEARCH[protocol], FALSE_ANSWER, FALSE_ANSWER];
    const { result, saved, events, llm } = await play(store, { protocol, replies });
    equal(saved.length, 0);
    deepEqual([result.status, result.flagged], ["completed", true]);
    ok(result.finalText.startsWith(`${FALSE_ANSWER}\n\n[Warning: `));
    match(result.finalText, /something was saved.*no call gave the address \/artifacts\/beef-0000/);
    const told = events.filter(({ type }) => /^(?:answer|response)/.test(type));
    deepEqual(told.map(({ type }) => type), ["answer_held_back", "response", "answer_flagged"]);
    match(llm.requests[2]!.messages.at(-1)!.content, /Your answer was not shown to the user/);
    // Nothing of it was told before that.
    const at = events.findIndex(({ type }) => type === "response");
    ok(!shownText(events.slice(0, at)).includes("beef-0000/news.html)"));
    const steps = await store.lastN("s", 20);
    ok(steps.some(({ toolArgs }) => toolArgs?.includes('"kind":"held_back"')));
  });

  Deno.test(`assistant (${protocol}): one that is caught, and then does it, answers without a warning`, async () => {
    using folder = new StoreFolder();
    await using store = openSqliteStore(`${folder.path}/store.db`);
    const replies = [SEARCH[protocol], FALSE_ANSWER, SAVE[protocol], TRUE_ANSWER];
    const { result, saved } = await play(store, { protocol, replies });
    deepEqual([result.finalText, result.flagged, saved.length], [TRUE_ANSWER, undefined, 1]);
  });

  Deno.test(`assistant (${protocol}): an invented address is caught although something was saved`, async () => {
    using folder = new StoreFolder();
    await using store = openSqliteStore(`${folder.path}/store.db`);
    const replies = [SEARCH[protocol], SAVE[protocol], FALSE_ANSWER, TRUE_ANSWER];
    const { result, events } = await play(store, { protocol, replies });
    deepEqual([result.finalText, result.flagged], [TRUE_ANSWER, undefined]);
    const held = events.find((event) => event.type === "answer_held_back");
    deepEqual(held?.claims, ["address"]);
  });

  Deno.test(`assistant (${protocol}): after four turns of work the fifth is for an answer, and that is checked too`, async () => {
    using folder = new StoreFolder();
    await using store = openSqliteStore(`${folder.path}/store.db`);
    const work = [SEARCH[protocol], SEARCH[protocol], SEARCH[protocol], SEARCH[protocol]];
    const honest = await play(store, { protocol, replies: [...work, "I ran out of time."] });
    deepEqual([honest.result.finalText, honest.result.forced], ["I ran out of time.", true]);
    const replies = [...work, FALSE_ANSWER, "Nothing was saved."];
    const { result, llm } = await play(store, { protocol, replies, request: { sessionId: "t" } });
    deepEqual([result.status, result.finalText, result.forced], [
      "completed",
      "Nothing was saved.",
      true,
    ]);
    equal(llm.requests.length, 6);
  });

  Deno.test(`assistant (${protocol}): what an earlier run of the session did may be spoken of`, async () => {
    using folder = new StoreFolder();
    const path = `${folder.path}/store.db`;
    {
      await using store = openSqliteStore(path);
      const first = protocol === "code" ? [SEARCH.code, SAVE.code, "Done."] : [SAVE.tools, "Done."];
      await play(store, { protocol, replies: first });
    }
    await using store = openSqliteStore(path);
    const replies = ["I saved the page earlier."];
    equal((await play(store, { protocol, replies })).result.flagged, undefined);
    const elsewhere = await play(store, {
      protocol,
      replies: [...replies, ...replies],
      request: { sessionId: "another" },
    });
    equal(elsewhere.result.flagged, true);
  });
}

Deno.test("assistant: what a script answers is checked like a text", async () => {
  using folder = new StoreFolder();
  await using store = openSqliteStore(`${folder.path}/store.db`);
  const lie = block("function run() { answer('I have scheduled the reminder.'); }");
  const { result, events } = await play(store, { protocol: "code", replies: [lie, lie] });
  match(result.finalText, /^I have scheduled the reminder\.\n\n\[Warning: /);
  ok(events.some(({ type }) => type === "answer_held_back"));
});
