/**
 * Medians of the store in a SQLite file, beside the floor: the same rows through the runtime's SQLite alone, in the same run.
 *
 *     deno run --allow-read --allow-write --allow-run bench/stores_bench.ts
 */
import { fileURLToPath } from "node:url";
import { DatabaseSync } from "node:sqlite";
import type { NewRunStep } from "../contracts/step.ts";
import { MemoryStore } from "../stores/memory.ts";
import { openSqliteStore } from "../stores/sqlite/mod.ts";

const CONTENT = "x".repeat(1024);
const RUN_ID = "0190a000-0000-7000-8000-000000000001";
const APPENDS_OF_A_PROCESS = 2500;

if (Deno.args[0] === "writer") await writeAsOneOfSeveral(Deno.args[1]!);
else await measureAll();

async function measureAll(): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "agentloop-bench-" });
  try {
    await measureAppends(folder);
    await measureLastSteps(folder);
    await measureSeveralWriters(folder);
    await measureOpening(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function measureAppends(folder: string): Promise<void> {
  const memory = new MemoryStore();
  await using store = openSqliteStore(`${folder}/appends.db`);
  using floor = openFloor(`${folder}/floor.db`);
  const insert = floor.prepare("INSERT INTO step VALUES (?, ?, ?, ?, ?)");
  const timed = { floor: [] as number[], store: [] as number[], memory: [] as number[] };
  for (let n = 0; n < 10_000; n++) {
    timed.floor.push(await msOf(() => insert.run("s", n, n, "act", CONTENT)));
    timed.store.push(await msOf(() => store.append(step())));
    timed.memory.push(await msOf(() => memory.append(step())));
  }
  report("durable append, floor", timed.floor);
  report("durable append (bar 70 µs)", timed.store);
  report("append in memory", timed.memory);
}

async function measureLastSteps(folder: string): Promise<void> {
  await using store = openSqliteStore(`${folder}/last.db`);
  await store.append(step());
  for (const size of [1000, 10_000, 100_000]) {
    fill(store.path, size);
    const timed: number[] = [];
    await store.lastN("s", 80);
    for (let n = 0; n < 1000; n++) timed.push(await msOf(() => store.lastN("s", 80)));
    report(`lastN(80) of ${size} steps (bar 170 µs)`, timed);
  }
}

/** Brings the session to a number of steps, in one transaction. */
function fill(path: string, size: number): void {
  using database = new DatabaseSync(path);
  database.exec(`
    BEGIN;
    WITH RECURSIVE missing (n) AS (
      SELECT max(step_index) + 1 FROM steps UNION ALL SELECT n + 1 FROM missing WHERE n + 1 < ${size}
    )
    INSERT INTO steps (session_id, step_index, run_id, step_type, duration_ms, prompt_tokens, completion_tokens, created_at, content)
      SELECT 's', n, '${RUN_ID}', 'response', 1, 2, 3, 1767225600123, '${CONTENT}' FROM missing;
    COMMIT;
  `);
}

async function measureSeveralWriters(folder: string): Promise<void> {
  for (const sessions of ["one session", "a session each"]) {
    const path = `${folder}/writers-${sessions.length}.db`;
    await openSqliteStore(path).close();
    const waits = await Promise.all([0, 1, 2, 3].map(async (n) => {
      const output = await new Deno.Command(Deno.execPath(), {
        args: [
          "run",
          `--allow-read=${folder}`,
          `--allow-write=${folder}`,
          "--no-lock",
          fileURLToPath(import.meta.url),
          "writer",
          path,
          sessions === "one session" ? "s" : `s${n}`,
        ],
        stderr: "inherit",
      }).output();
      if (!output.success) throw new Error("A writer failed.");
      return JSON.parse(new TextDecoder().decode(output.stdout)) as number[];
    }));
    const slowest = Math.max(...waits.map((ms) => ms.reduce((sum, wait) => sum + wait, 0)));
    const rate = Math.round((4 * APPENDS_OF_A_PROCESS * 1000) / slowest);
    report(`4 processes append to ${sessions}: ${rate} rows/s, no error`, waits.flat());
  }
}

async function writeAsOneOfSeveral(path: string): Promise<void> {
  await using store = openSqliteStore(path);
  const waits: number[] = [];
  for (let n = 0; n < APPENDS_OF_A_PROCESS; n++) {
    waits.push(await msOf(() => store.append(step(Deno.args[2]))));
  }
  console.log(JSON.stringify(waits));
}

async function measureOpening(folder: string): Promise<void> {
  const created: number[] = [];
  const opened: number[] = [];
  for (let n = 0; n < 20; n++) {
    const path = `${folder}/open-${n}.db`;
    created.push(await msOf(() => openSqliteStore(path).close()));
    opened.push(await msOf(() => openSqliteStore(path).close()));
  }
  report("create and close", created);
  report("open and close", opened);
}

function openFloor(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  database.exec(`
    PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
    CREATE TABLE step (session TEXT NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL, UNIQUE (session, seq));
  `);
  return database;
}

function step(sessionId: string = "s"): NewRunStep {
  return {
    sessionId,
    runId: RUN_ID,
    stepType: "response",
    content: CONTENT,
    createdAt: new Date(),
  };
}

async function msOf(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function report(what: string, timesMs: number[]): void {
  const sorted = timesMs.toSorted((a, b) => a - b);
  const at = (part: number) => (sorted[Math.floor(part * (sorted.length - 1))]! * 1000).toFixed(1);
  console.log(`${what}: median ${at(0.5)} µs, p90 ${at(0.9)}, p99 ${at(0.99)}, most ${at(1)}`);
}
