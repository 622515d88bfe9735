import { deepEqual, rejects } from "node:assert/strict";
import { RequestSlots } from "./request_slots.ts";

Deno.test("request slots: those beyond the bound wait, and go in their order", async () => {
  const slots = new RequestSlots(1);
  const { signal } = new AbortController();
  const log: string[] = [];
  const first = await slots.take(signal);
  const others = ["b", "c"].map(async (name) => {
    using _slot = await slots.take(signal);
    log.push(name);
  });
  await Promise.resolve();
  deepEqual(log, []);
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  await Promise.all(others);
  deepEqual(log, ["b", "c"]);
});

Deno.test("request slots: one that gives up while it waits takes no slot", async () => {
  const slots = new RequestSlots(1);
  const call = new AbortController();
  const first = await slots.take(call.signal);
  const waiting = slots.take(call.signal);
  call.abort(new Error("over"));
  await rejects(waiting, { message: "over" });
  await rejects(slots.take(call.signal), { message: "over" });
  first[Symbol.dispose]();
  (await slots.take(new AbortController().signal))[Symbol.dispose]();
});
