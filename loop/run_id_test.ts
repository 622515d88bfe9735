import { equal, match, ok } from "node:assert/strict";
import { createRunId } from "./run_id.ts";

Deno.test("run id: a UUID of version 7 whatever the random source gives", () => {
  for (const random of [() => 0, () => 1 - Number.EPSILON / 2, Math.random]) {
    match(
      createRunId(1_796_005_006_186, random),
      /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  }
});

Deno.test("run id: carries its time, and sorts by it", () => {
  const id = createRunId(0x0123_4567_89ab, () => 0);
  equal(id, "01234567-89ab-7000-8000-000000000000");
  let last = "";
  for (const time of [0, 1, 999, 1_767_225_600_123, 5_000_000_000_000]) {
    const next = createRunId(time, Math.random);
    ok(next > last);
    last = next;
  }
});

Deno.test("run id: differs between runs of one moment", () => {
  const ids = new Set(Array.from({ length: 1000 }, () => createRunId(1, Math.random)));
  equal(ids.size, 1000);
});
