/** Scripts that wait for a person's word in one process and go on in another, with a real guest, a real file, and kills at every point between. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { BLOCKING_SCRIPT, type Ended, WaitingProgram } from "../fixtures/waiting_script.ts";

/** Programs that run at once: a machine has two cores at least. */
const AT_ONCE = 2;

Deno.test("a script that waits goes on in another process with changed arguments, and finds everything as it was", async () => {
  for (const script of [undefined, BLOCKING_SCRIPT]) {
    using program = new WaitingProgram(script);
    const asked = await program.end("ask");
    strictEqual(asked.status, "waiting");
    deepStrictEqual(asked.pending?.args, [{ to: "anna" }]);
    const before = program.done();
    ok(!before.some((line) => /send|pay/.test(line)));
    const word = JSON.stringify({ decision: "approve", args: [{ to: "berta" }] });
    const done = await program.end("resume", "0", word);
    deepStrictEqual([done.status, done.text], ["completed", "It is done."]);
    match(done.observed!, /the user changed the arguments of send to \[\{"to":"berta"\}\]/);
    const { first, sent, paid } = JSON.parse(done.data!);
    deepStrictEqual([sent, paid], ["sent", "paid"]);
    const [lookedUp] = before;
    strictEqual(lookedUp, 'look "a"');
    // What goes on beside the wait is done before it or after it: it may not have begun by then.
    const [after, beside] = [program.done().slice(before.length), 'look "b"'];
    deepStrictEqual(after.filter((line) => line !== beside), [
      'send {"to":"berta"}',
      `pay ${first}`,
    ]);
    strictEqual(program.done().includes(beside), script === undefined);
    checkDoneOnce(program);
    deepStrictEqual(done.calls.filter((row) => row.startsWith("send")), ["send changed ok"]);
    strictEqual(done.calls.length, program.done().length);
    strictEqual(done.kept, false);
  }
});

Deno.test("a script that waits twice goes on twice, and a no reaches it as an error", async () => {
  using program = new WaitingProgram();
  await program.end("ask");
  const second = await program.end("again");
  deepStrictEqual([second.status, second.pending?.name], ["waiting", "pay"]);
  const over = await program.end("resume", "0", '{"decision":"deny","reason":"too dear"}');
  strictEqual(over.status, "completed");
  match(over.observed!, /pay is refused: the user said no: too dear/);
  deepStrictEqual(
    program.done().toSorted(),
    ['look "a"', 'look "b"', 'send {"to":"anna"}'],
  );
});

Deno.test("of two processes that go on with a script at once, nothing is done twice, and one at most finishes it", async () => {
  using program = new WaitingProgram();
  await program.end("ask");
  const ends = await Promise.all([1, 2].map(() => program.end("resume")));
  strictEqual(ends.filter(({ status }) => status === "completed").length, 1);
  strictEqual(ends.find(({ status }) => status === "error")?.code, "not_waiting");
  checkDoneOnce(program);
});

Deno.test("a process that is killed at any point while a script goes on loses nothing, and nothing is done twice", async () => {
  using asked = new WaitingProgram();
  await asked.end("ask");
  using whole = asked.copy();
  const { points } = await whole.end("resume");
  ok(points > 20, `only ${points} points`);
  await atAll(points, async (point) => {
    using program = asked.copy();
    strictEqual(await program.run("resume", String(point)), undefined);
    const over = await takeUp(program, point);
    checkDoneOnce(program);
    const sent = program.done().includes('send {"to":"anna"}');
    if (/was under way/.test(over.observed ?? "")) return;
    ok(sent, `point ${point}: the letter was not sent, and nobody was told: ${over.observed}`);
    match(over.observed!, /returned/);
    strictEqual(program.done().filter((line) => line.startsWith("pay")).length, 1);
  });
});

Deno.test("a process that is killed at any point while its script comes to wait has done nothing that waits", async () => {
  using whole = new WaitingProgram(BLOCKING_SCRIPT);
  const { points } = await whole.end("ask");
  await atAll(points, async (point) => {
    using program = new WaitingProgram(BLOCKING_SCRIPT);
    strictEqual(await program.run("ask", String(point)), undefined);
    const resumed = await program.end("resume");
    checkDoneOnce(program);
    if (resumed.status === "completed") return;
    deepStrictEqual([point, resumed.code], [point, "not_waiting"]);
    ok(!program.done().some((line) => /send|pay/.test(line)));
  });
});

/** Tries all points, some at once. */
async function atAll(points: number, tried: (point: number) => Promise<void>): Promise<void> {
  let next = 1;
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    while (next <= points) await tried(next++);
  }));
}

/** Takes a session up once more, and gives what was seen last. */
async function takeUp(program: WaitingProgram, point: number): Promise<Ended> {
  const ended = await program.end("resume");
  // Where the script's outcome was in the trace already when the process died, what is left is for the next message.
  const isTold = ended.code === "not_waiting" && ended.observed !== undefined;
  if (ended.status === "completed" || isTold) return ended;
  throw new Error(`point ${point}: ${JSON.stringify(ended)}`);
}

function checkDoneOnce(program: WaitingProgram): void {
  const done = program.done();
  strictEqual(new Set(done).size, done.length, `done twice: ${done}`);
}
