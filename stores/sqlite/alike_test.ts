// Needs --allow-read and --allow-write for the folder of temporary files.
import { deepEqual } from "node:assert/strict";
import type { NewRunStep, StepType } from "../../contracts/step.ts";
import { StoreFolder } from "../../tests/fixtures/store_folder.ts";
import { FRAGILE_TEXTS, sampleStep, sampleSummary } from "../_contract_samples.ts";
import { MemoryStore } from "../memory.ts";
import { openSqliteStore, type SqliteStore } from "./mod.ts";

const IDS = ["a", "a\0", "\0", "A", " a", "__proto__", "\u{1F600}'--"];
const TEXTS = [...FRAGILE_TEXTS, "lone \uD800 surrogate", "long ".repeat(3000)];
const TYPES: readonly StepType[] = ["user", "response", "response", "response", "tool_call"];

/** Ways in which a clock goes on: not at all, slowly, and back and forth. */
const CLOCKS: readonly ((random: () => number) => number)[] = [
  () => 0,
  (random) => Math.floor(random() * 3),
  (random) => Math.floor(random() * 41) - 20,
];

type Use = (store: SqliteStore | MemoryStore) => Promise<unknown>;

Deno.test("SqliteStore on one file by several handles gives what MemoryStore gives, whatever is done and whichever way the clock goes", async () => {
  for (const [seed, tick] of CLOCKS.entries()) {
    using folder = new StoreFolder();
    const path = `${folder.path}/store.db`;
    const random = randomFrom(seed + 1);
    let time = 1_000_000;
    const now = () => new Date(time);
    await using first = openSqliteStore(path, { now });
    await using second = openSqliteStore(path, { now });
    const memory = new MemoryStore({ now });
    for (let n = 0; n < 500; n++) {
      time += tick(random);
      const use = anyUse(random);
      const store = random() < 0.7 ? first : second;
      deepEqual(await use(store), await use(memory), `use ${n} of clock ${seed}`);
      const other = store === first ? second : first;
      deepEqual(await other.list(), await memory.list(), `list ${n} of clock ${seed}`);
    }
    for (const id of IDS) {
      deepEqual(await first.lastN(id, Infinity), await memory.lastN(id, Infinity));
    }
  }
});

function anyUse(random: () => number): Use {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
  const sessionId = pick(IDS);
  const step = (): NewRunStep =>
    sampleStep({ sessionId, stepType: pick(TYPES), content: pick(TEXTS), runId: pick(TEXTS) });
  const kind = random();
  if (kind < 0.5) {
    const added = step();
    return (store) => store.append(added);
  }
  if (kind < 0.7) {
    const added = Array.from({ length: Math.floor(random() * 11) }, step);
    return (store) => store.appendAll(added);
  }
  const text = pick(TEXTS);
  return pick<Use>([
    (store) => store.delete(sessionId),
    (store) => store.updateData(sessionId, text),
    (store) => store.finalize(sessionId, sampleSummary()),
    (store) => store.configure(sessionId, { model: text }),
    (store) => store.lastN(sessionId, text.length % 4),
    (store) => store.scripts.keep({ sessionId, stepIndex: 0, claim: 0, json: "1", calls: [] }),
  ]);
}

/** Numbers from 0 to 1, the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
