/**
 * An assistant from end to end: it looks something up, makes a page of it and gives the page's address; and one that only says so. Real guests, a real file, an engine on
 * loopback; only the model is scripted.
 */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { RunEvent } from "../../../contracts/event.ts";
import type { LoopConfig, LoopProtocol, RunRequest } from "../../../contracts/loop.ts";
import { artifactAddress, artifactCapability, artifactTools } from "../../../ext/artifacts/mod.ts";
import { createAssistant } from "../../../ext/assistant/mod.ts";
import { searchCapability, searchTools, searxngProvider } from "../../../ext/search/mod.ts";
import { type ScriptedClient, scriptedClient, type ScriptedStep } from "../../../llm/scripted.ts";
import { createLoop } from "../../../loop/create_loop.ts";
import { AllowAll } from "../../../loop/policy.ts";
import { DefaultSandboxBuilder } from "../../../sandbox/default_builder.ts";
import { openSqliteStore, type SqliteStore } from "../../../stores/sqlite/mod.ts";
import { ToolRegistry } from "../../../tools/mod.ts";
import { StoreFolder } from "../../fixtures/store_folder.ts";
import { results, startEngine } from "../search/engine.ts";

const STORIES = ["A bank opens its API", "A satellite is lost", "Schools get tablets"];
const ASKED =
  'Search for recent tech news in Brazil, summarize the top 3, and make a page "news.html".';
const FALSE_ANSWER =
  `I've generated the page and saved it: [View](/artifacts/beef-0000/news.html).`;

const addressesIn = async ({ artifacts }: SqliteStore) =>
  (await artifacts.list("any")).map((artifact) => artifactAddress(artifact));

/** An answer with the address that the model was told. */
function trueAnswer(store: SqliteStore): ScriptedStep {
  return async ({ messages }) => {
    const [address = "none"] = await addressesIn(store);
    ok(messages.at(-1)!.content.includes(address), "the model was not told the address");
    return answerWith(address);
  };
}

const answerWith = (address: string) =>
  `Today's top stories: ${STORIES.join("; ")}. I have also saved your page: [View](${address}).`;

/** What a test has of one message. */
interface Played {
  readonly result: Awaited<ReturnType<ReturnType<typeof createLoop>["run"]>>;
  readonly events: readonly RunEvent[];
  readonly llm: ScriptedClient;
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
  await using engine = startEngine(() =>
    results(
      ...STORIES.map((title, at) => ({ title, url: `https://news.example/${at}`, content: "" })),
    )
  );
  const search = { provider: searxngProvider({ url: engine.url }) };
  const { artifacts } = store;
  await using sandboxBuilder = new DefaultSandboxBuilder({
    capabilities: [searchCapability(search), artifactCapability({ artifacts })],
  });
  const registry = new ToolRegistry([...searchTools(search), ...artifactTools({ artifacts })]);
  const llm = scriptedClient(replies);
  const assistant = createAssistant({
    steps: store,
    timeZone: "America/Sao_Paulo",
    now: () => new Date("2026-09-27T22:15:00Z"),
    isKnownAddress: async (address) => (await addressesIn(store)).includes(address),
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
  return { result, events, llm };
}

const block = (source: string) => `\`\`\`javascript\n${source}\n\`\`\``;

/** The steps of the chain, as each protocol takes them. */
const SEARCH: Readonly<Record<"code" | "tools", ScriptedStep>> = {
  code: block('function run() { return web_search("tech news Brazil"); }'),
  tools: { toolCalls: [{ name: "web_search", arguments: { query: "tech news Brazil" } }] },
};
const SAVE: Readonly<Record<"code" | "tools", ScriptedStep>> = {
  code: block(
    `function run(args) {
  const content = "<!DOCTYPE html><ul>" + args.map(({ title }) => "<li>" + title).join("") + "</ul>";
  const page = artifact_save({ filename: "news.html", title: "Tech News Brazil", content });
  log(page.address);
  return page;
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
    const replies = [SEARCH[protocol], SAVE[protocol], trueAnswer(store)];
    const { result, events } = await play(store, { protocol, replies });
    const [saved, ...others] = await store.artifacts.list("any");
    deepEqual([result.status, result.finalText, result.flagged], [
      "completed",
      answerWith(artifactAddress(saved!)),
      undefined,
    ]);
    equal(others.length, 0);
    match(
      (await store.artifacts.read("any", saved!.id))!.content,
      /^<!DOCTYPE html><ul><li>A bank opens its API.*tablets<\/ul>$/,
    );
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
    const { result, events, llm } = await play(store, { protocol, replies });
    equal((await store.artifacts.list("any")).length, 0);
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
    const replies = [SEARCH[protocol], FALSE_ANSWER, SAVE[protocol], trueAnswer(store)];
    const { result } = await play(store, { protocol, replies });
    const [address = "none", ...others] = await addressesIn(store);
    deepEqual([result.finalText, result.flagged, others], [answerWith(address), undefined, []]);
  });

  Deno.test(`assistant (${protocol}): an invented address is caught although something was saved`, async () => {
    using folder = new StoreFolder();
    await using store = openSqliteStore(`${folder.path}/store.db`);
    const insists: ScriptedStep = async () => answerWith((await addressesIn(store))[0] ?? "none");
    const replies = [SEARCH[protocol], SAVE[protocol], FALSE_ANSWER, insists];
    const { result, events } = await play(store, { protocol, replies });
    const [address = "none"] = await addressesIn(store);
    deepEqual([result.finalText, result.flagged], [answerWith(address), undefined]);
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
