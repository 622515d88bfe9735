import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { expectedTopTen } from "../../cli/demo/answer_check.ts";
import { recordedReplies } from "../../cli/demo/recorded_model.ts";
import { makeShopData } from "../../cli/demo/shop_data.ts";
import { jsonLines, onlyResult, openHome } from "./cli_process.ts";

Deno.test("the demo answers, checks itself and compares what went into the prompts", async () => {
  await using home = await openHome();
  const { code, stdout, stderr } = await home.run(["demo"]);
  strictEqual(code, 0);
  const lines = expectedTopTen(makeShopData()).map((row, index) =>
    `${index + 1}. ${row.name} (${row.country}): ${row.total} EUR`
  );
  deepStrictEqual(stdout.split("\n").slice(1, 11), lines);
  match(stdout, /\nChecked: a computation of the command's own gives the same ten lines\.\n/);
  match(stdout, /\nSent to the model: +[\d.]+ KiB in 4 requests\n/);
  match(stdout, /\nAs tool calls: +[\d.]+ KiB in 5 requests, \d+ times as much\n/);
  for (let turn = 1; turn <= 4; turn++) {
    match(stderr, new RegExp(`\\nTurn ${turn}: the model writes\n`));
  }
  match(stderr, /\n {4}returned \(now args\): \{orders: array\(1200\)/);
  match(stderr, /\n {2}carried to the next turn past the model: 2\d\d\.\d KiB\n/);
  deepStrictEqual([...Deno.readDirSync(home.path)], []);
});

Deno.test("the demo's job takes at most a 25th of the prompt bytes of sequential tool calls", async () => {
  await using home = await openHome();
  const { stdout, stderr } = await home.run(["demo", "--json"]);
  strictEqual(stderr, "");
  const result = onlyResult(stdout);
  deepStrictEqual(result.check, { ok: true, faults: [] });
  ok(result.prompt_bytes * 25 <= result.tool_transcript_bytes, JSON.stringify(result));
  ok(result.tool_transcript_bytes > 750_000);
});

Deno.test("the demo's session can be kept and looked at", async () => {
  await using home = await openHome();
  strictEqual((await home.run(["demo", "--quiet", "--session", "shop"])).code, 0);
  const steps = jsonLines((await home.run(["sessions", "show", "shop", "--json"])).stdout)
    .filter((line) => line.type === "step").map((line) => line.step_type);
  strictEqual(steps.filter((type) => type === "execute_js").length, 4);
  strictEqual(steps.at(-1), "response");
  const calls = (await home.run(["sessions", "calls", "shop", "--name", "fetch"])).stdout;
  match(calls, /\n2 .* fetch rates\.example: denied, refused, .*\n {4}\["https:\/\/rates\.example/);
});

Deno.test("nothing of the demo's result stands in the recorded replies", () => {
  const replies = recordedReplies("http://127.0.0.1:1").join("\n");
  for (const { name, total } of expectedTopTen(makeShopData())) {
    for (const figure of [name, ...name.split(" "), total, total.replace(".", "")]) {
      ok(!replies.includes(figure), figure);
    }
  }
});

Deno.test("demo: a temporary folder that cannot be made is told with what to do", async () => {
  await using home = await openHome();
  const { code, stderr } = await home.run(["demo"], { env: { TMPDIR: `${home.path}/nowhere` } });
  strictEqual(code, 1);
  match(stderr, /^agentloop: Cannot make a temporary folder: .*\nLet TMPDIR name a folder /);
});
