/**
 * A process that does what is due in a database, on behalf of a test: each effect is a line in a file. `hang` names where it stops for good at the first task that is
 * titled "stop", to be killed there. It ends when no task waits.
 */
import { type Channel, startScheduler } from "../../../ext/scheduler/mod.ts";
import { openSqliteStore } from "../../../stores/sqlite/mod.ts";

if (import.meta.main) await work(JSON.parse(Deno.args[0] ?? ""));

/** What such a process is told. */
export interface WorkerOrder {
  readonly database: string;
  readonly effects: string;
  readonly hang?: "before the effect" | "after the effect";
}

async function work({ database, effects, hang }: WorkerOrder): Promise<void> {
  await using store = openSqliteStore(database);
  const channel: Channel = {
    name: "test",
    async deliver({ kind, id, title }) {
      const stops = title === "stop" && kind === "message";
      if (stops && hang === "before the effect") await stop();
      await Deno.writeTextFile(effects, `${kind} ${id}\n`, { append: true });
      if (stops && hang === "after the effect") await stop();
      return { ok: true };
    },
  };
  await using _scheduler = startScheduler({
    schedule: store.schedule,
    channels: [channel],
    pollMs: 20,
    leaseMs: 300,
    staggerMs: 0,
    // One that is to be killed has nothing else under way then.
    concurrency: hang === undefined ? 2 : 1,
  });
  // Another process may do the last one.
  while ((await store.schedule.list({ waitingOnly: true })).length > 0) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function stop(): Promise<never> {
  await Deno.stdout.write(new TextEncoder().encode("stopped\n"));
  return await new Promise<never>(() => {});
}
