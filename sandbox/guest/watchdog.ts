/**
 * The guest process's own watchdog, a worker: the main thread cannot watch itself, since some of the engine's builtins never poll.
 * It ends the process when a guest has not polled for longer than it may compute, naming it first, and when the parent is gone:
 * a busy thread never reads the end of its stdin. It needs no permission.
 */
/** What the main thread tells the watchdog, through shared memory. */
export interface Watchdog {
  /** Guest code of this execution runs from now on and must poll or end within `budgetMs`. */
  enter(id: number, budgetMs: number): void;
  /** No guest code runs. */
  leave(): void;
}

/** Beyond its budget a guest gets this long to reach a poll before its process is killed. */
const GRACE_MS = 500;
/** The deadline is kept in 32 bits; this is twelve days. */
const MAX_BUDGET_MS = 2 ** 30;
/** How often the watchdog looks. */
const INTERVAL_MS = 100;

/** Starts the watchdog. */
export function startWatchdog(): Watchdog {
  // [deadline in ms since the origin, 0 for none; id of the execution]
  const shared = new Int32Array(new SharedArrayBuffer(8));
  const origin = performance.timeOrigin + performance.now() - 1;
  const offset = performance.timeOrigin - origin;
  const elapsed = (): number => offset + performance.now();
  const worker = new Worker(
    `data:text/javascript,${encodeURIComponent(`(${watch})()`)}`,
    { type: "module" },
  );
  worker.postMessage({ shared, origin, parent: Deno.ppid, interval: INTERVAL_MS });
  return {
    enter(id, budgetMs) {
      Atomics.store(shared, 1, id);
      Atomics.store(shared, 0, Math.ceil(elapsed() + Math.min(budgetMs, MAX_BUDGET_MS) + GRACE_MS));
    },
    leave: () => void Atomics.store(shared, 0, 0),
  };
}

/** Runs in the worker; sent there as text. */
function watch(): void {
  globalThis.addEventListener("message", (event) => {
    const { shared, origin, parent, interval } = (event as MessageEvent).data as {
      shared: Int32Array;
      origin: number;
      parent: number;
      interval: number;
    };
    const { kill, pid } = (globalThis as unknown as {
      process: { kill(pid: number, signal: string): void; pid: number };
    })
      .process;
    setInterval(() => {
      if (Deno.ppid !== parent) return kill(pid, "SIGKILL");
      const deadline = Atomics.load(shared, 0);
      if (deadline === 0 || performance.timeOrigin + performance.now() - origin < deadline) return;
      // A frame as channel.ts writes it, with an empty body.
      const head = new TextEncoder().encode(
        JSON.stringify({ type: "stuck", id: Atomics.load(shared, 1) }),
      );
      const frame = new Uint8Array(8 + head.length);
      new DataView(frame.buffer).setUint32(0, head.length, true);
      frame.set(head, 8);
      Deno.stdout.writeSync(frame);
      kill(pid, "SIGKILL");
    }, interval);
  });
}
