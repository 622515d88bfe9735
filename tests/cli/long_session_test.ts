import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { type OpenAIServer, startOpenAIServer } from "../fixtures/openai_server.ts";
import { jsonLines, onlyResult, openHome, script } from "./cli_process.ts";

interface Sent {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
}

function sent(server: OpenAIServer, request: number): Sent {
  return server.requests.at(request)?.body as Sent;
}

/** A turn that says much. */
const TURN = script(`function run(args) {
  for (let line = 0; line < 40; line++) log("line", line, "of what was found out");
  return (args ?? 0) + 1;
}`);

/** A job of several such turns. */
function longJob(turns: number): string[] {
  return [...Array.from({ length: turns }, () => TURN), "Done, all of it."];
}

Deno.test("--context-window holds every request to the window and bounds its reply", async () => {
  await using server = await startOpenAIServer({ replies: longJob(5) });
  await using home = await openHome(server.baseUrl);
  const { code, stderr } = await home.run(["--context-window", "3000", "--no-compact", "go"]);
  strictEqual(code, 0, stderr);
  match(stderr, /^history trimmed: \d+ old messages? left out$/m);
  for (const request of server.requests.keys()) {
    const { messages, max_tokens, max_completion_tokens } = sent(server, request);
    const bytes = messages.reduce((sum, { content }) => sum + content.length, 0);
    ok(bytes / 4 < 3000, `request ${request} has ${bytes} bytes`);
    strictEqual(max_tokens ?? max_completion_tokens, 512);
  }
});

Deno.test("--history-window beats what fits the window", async () => {
  await using server = await startOpenAIServer({ otherwise: "Fine." });
  await using home = await openHome(server.baseUrl);
  const args = ["--session", "s", "--context-window", "8192"];
  await home.run([...args, "first"]);
  await home.run([...args, "second"]);
  await home.run([...args, "--history-window", "0", "third"]);
  deepStrictEqual(server.requests.map(({ body }) => (body as Sent).messages.length), [2, 4, 2]);
});

Deno.test("--json tells of trimming and summarizing as events, and sessions show of what was folded", async () => {
  await using server = await startOpenAIServer({
    // The summaries are asked for in between, by requests that have another first message.
    otherwise: (request) => {
      const { messages } = request.body as Sent;
      const asksForSummary = !messages[0]?.content.startsWith("You solve tasks");
      if (asksForSummary) return "It counts up.";
      return server.requests.length > 14 ? "Done." : TURN;
    },
  });
  await using home = await openHome(server.baseUrl);
  const args = ["--json", "--session", "s", "--context-window", "3000", "go"];
  const { code, stdout } = await home.run(args);
  strictEqual(code, 0, stdout);
  const compacted = jsonLines(stdout).filter((line) => line.type === "compacted");
  ok(compacted.length > 0);
  ok(compacted.every(({ args }) => args.messages_after < args.messages_before));

  const [head, ...lines] = jsonLines((await home.run(["sessions", "show", "s", "--json"])).stdout);
  const summary = lines.findLast((line) => line.step_type === "summary");
  strictEqual(head.summary_step, summary.step_index);
  strictEqual(head.retain_from_step, summary.tool_args.retain_from_step);
  const shown = (await home.run(["sessions", "show", "s"])).stdout;
  match(shown, /\nfolded {5}the steps before \d+ are sent as the summary in step \d+\n/);
  match(shown, /\n\d+ {2}summary of the steps before \d+, .*\n {3}It counts up\.\n/);
});

Deno.test("sessions compact folds a session on demand with an instruction, and later runs are sent the summary", async () => {
  await using server = await startOpenAIServer({
    replies: [...longJob(3), "They want it short.", "Fine."],
  });
  await using home = await openHome(server.baseUrl);
  strictEqual((await home.run(["--session", "s", "go"])).code, 0);
  const { code, stdout, stderr } = await home.run([
    "sessions",
    "compact",
    "s",
    "--instruction",
    "Keep every figure.",
  ]);
  strictEqual(code, 0, stderr);
  strictEqual(stdout, "They want it short.\n");
  match(
    stderr,
    /^\d+ messages became \d+, the steps before \d+ stay in the trace, 10 \+ 5 tokens\n$/,
  );
  match(JSON.stringify(sent(server, -1)), /Keep every figure\./);

  await home.run(["--session", "s", "and now?"]);
  const text = sent(server, -1).messages.map(({ content }) => content).join("\n");
  match(text, /They want it short\./);
  ok(text.split("line 39 of what was found out").length - 1 < 3, text);

  const result = onlyResult((await home.run(["sessions", "compact", "nope", "--json"])).stdout);
  strictEqual(result.error.type, "session_missing");
});

Deno.test("a run ends on its tokens before it has spent them, with exit code 4 and a way to go on", async () => {
  const usage = { prompt_tokens: 3000, completion_tokens: 100 };
  await using server = await startOpenAIServer({
    replies: [{ text: TURN, usage }, { text: TURN, usage }, "Fine."],
  });
  await using home = await openHome(server.baseUrl);
  const args = ["--session", "s", "--max-tokens", "4000"];
  const { code, stdout, stderr } = await home.run([...args, "go"]);
  strictEqual(code, 4, stderr);
  strictEqual(stdout, "");
  match(
    stderr,
    /\nagentloop: Stopped before more than 4,000 tokens \(--max-tokens\) are spent: 3,100 are\.\nTo go on: /,
  );
  const json = onlyResult((await home.run(["--json", ...args, "go on"])).stdout);
  deepStrictEqual([json.status, json.reason, json.exit_code], ["limit", "total_tokens", 4]);
  deepStrictEqual(json.spent, { tokens: 3100, cost: 0, host_calls: 0 });
  const more = await home.run(["--continue", "go on"]);
  strictEqual(more.stdout, "Fine.\n", more.stderr);
});

Deno.test("a run ends on its cost, by prices or by the provider's word", async () => {
  const text = script("function run() { return 1; }");
  const usage = { prompt_tokens: 10, completion_tokens: 5, cost: 0.4 };
  await using server = await startOpenAIServer({ otherwise: { text, usage } });
  await using home = await openHome(server.baseUrl);
  const prices = ["--price-prompt", "1", "--price-completion", "100000"];
  const priced = await home.run(["--json", "--max-cost", "26", ...prices, "go"]);
  strictEqual(priced.code, 4);
  const { reason, spent } = onlyResult(priced.stdout);
  strictEqual(reason, "cost");
  // One call took 10 + 5 tokens.
  strictEqual(spent.cost, 0.50001);
  const told = await home.run(["--json", "--max-cost", "0.5", "--session", "told", "go"]);
  deepStrictEqual([told.code, onlyResult(told.stdout).spent.cost], [4, 0.4]);
  const half = await home.run(["--price-prompt", "1", "go"]);
  strictEqual(half.code, 3);
  match(
    half.stderr,
    /^agentloop: --price-prompt and --price-completion belong together: give both/,
  );
});
