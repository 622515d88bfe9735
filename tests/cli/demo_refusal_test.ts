import { deepEqual, equal, match } from "node:assert/strict";
import { jsonLines, onlyResult, openHome } from "./cli_process.ts";

Deno.test("the demo's host that nobody allowed is refused, the model hears why, and the run goes on", async () => {
  await using home = await openHome();
  const { code, stdout } = await home.run(["demo", "--json"]);
  equal(code, 0);
  const events = jsonLines(stdout);
  const refused = events.filter(({ type, args }) =>
    type === "sandbox_event" && args.outcome === "refused"
  );
  deepEqual(refused.map(({ args }) => [args.name, args.target]), [["fetch", "rates.example"]]);
  const results = events.filter(({ type }) => type === "execute_js_result");
  match(
    results[0]?.content,
    /no rates: fetch \(rates\.example\) is refused: .*allowDomains: \["rates\.example"\] lets it pass\. Do not try it again in this run\./,
  );
  deepEqual(results.map(({ ok }) => ok), [true, true, true, true]);
  deepEqual(onlyResult(stdout).check, { ok: true, faults: [] });
});
