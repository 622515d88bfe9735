/** Two processes that share a database, one killed in the middle of a task: every task is done once, or told as unknown, never twice. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { openSqliteStore } from "../../../stores/sqlite/mod.ts";
import { StoreFolder } from "../../fixtures/store_folder.ts";
import { message, recurring } from "./samples.ts";
import type { WorkerOrder } from "./worker_process.ts";

const TASKS = 12;

function start(folder: string, order: WorkerOrder): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      "--no-lock",
      "--no-check",
      `--allow-read=${folder}`,
      `--allow-write=${folder}`,
      fileURLToPath(new URL("./worker_process.ts", import.meta.url)),
      JSON.stringify(order),
    ],
    stdout: "piped",
  }).spawn();
}

for (const hang of ["before the effect", "after the effect"] as const) {
  Deno.test(`scheduler: a process is killed ${hang} of a task: the others are done once, this one is told as unknown`, async () => {
    using folder = new StoreFolder();
    const database = `${folder.path}/store.db`;
    const effects = `${folder.path}/effects`;
    await Deno.writeTextFile(effects, "");
    const stopped = await seed(database);

    const killed = start(folder.path, { database, effects, hang });
    const reader = killed.stdout.getReader();
    equal(new TextDecoder().decode((await reader.read()).value), "stopped\n");
    const other = start(folder.path, { database, effects });
    killed.kill("SIGKILL");
    await reader.cancel();
    await killed.status;
    await other.stdout.cancel();
    equal((await other.status).code, 0);

    const lines = (await Deno.readTextFile(effects)).trimEnd().split("\n");
    const done = lines.filter((line) => line.startsWith("message "));
    equal(new Set(done).size, done.length, "nothing is done twice");
    await using store = openSqliteStore(database);
    const tasks = await store.schedule.list();
    equal(tasks.length, TASKS);
    for (const { id, state, lastOutcome } of tasks) {
      equal(state, "ended");
      const own = done.filter((line) => line.startsWith(`message ${id}@`));
      equal(lastOutcome?.state, id === stopped ? "unknown" : "done", id);
      equal(own.length, id === stopped && hang === "before the effect" ? 0 : 1, id);
    }
    deepEqual(lines.filter((line) => line.startsWith("notice ")).length, 1);
    const [occurrence] = await store.schedule.occurrences(stopped);
    deepEqual([occurrence?.state, occurrence?.attempts], ["unknown", 2]);
  });
}

Deno.test("scheduler: several processes that do what is due at once do each occurrence once", async () => {
  using folder = new StoreFolder();
  const database = `${folder.path}/store.db`;
  const effects = `${folder.path}/effects`;
  await Deno.writeTextFile(effects, "");
  await seed(database);
  const workers = [1, 2, 3].map(() => start(folder.path, { database, effects }));
  for (const worker of workers) {
    await worker.stdout.cancel();
    equal((await worker.status).code, 0);
  }
  const lines = (await Deno.readTextFile(effects)).trimEnd().split("\n");
  const done = lines.filter((line) => line.startsWith("message "));
  equal(new Set(done).size, done.length);
  // A process that the machine held up for longer than its lease may have been taken for lost; its task was done all the same.
  equal(new Set(done.map((line) => line.split("@")[0])).size, TASKS);
});

/** Adds tasks that are due, and gives the id of the one at which a process stops. */
async function seed(database: string): Promise<string> {
  await using store = openSqliteStore(database);
  const past = new Date(Date.now() - 60_000).toISOString();
  let stopped = "";
  for (let n = 0; n < TASKS; n++) {
    const task = n === 5
      ? message(past, { title: "stop" })
      // One that recurs and has a last time is made up for once.
      : n === 7
      ? recurring("* * * * *", past, {
        kind: "rrule",
        rule: "FREQ=MINUTELY;COUNT=2",
        startsAt: past.slice(0, 19),
      })
      : message(past, { title: `task ${n}` });
    const { id } = await store.schedule.add(task);
    if (n === 5) stopped = id;
  }
  ok(stopped !== "");
  return stopped;
}
