/**
 * Who runs on this thread. Guest code of one execution at a time: whoever runs holds the thread from the moment it is let in to the moment
 * its code ends or suspends, so that its time is its own and the watchdog watches the right one. Others wait in order.
 */

/** A guest runs this long before it lets everything else on its thread have a turn. */
export const SLICE_MS = 5;

/** A newcomer waits this long at most while others keep the thread busy: ten slices. */
const MAX_NEWCOMER_WAIT_MS = 50;

/** The thread is idle when nobody has wanted it for so long; then so many newcomers are let in at once. */
const IDLE_MS = 1;
const NEWCOMERS_AT_ONCE = 16;

/** The thread that guests share. Owned by a runtime, which closes it. */
export interface Thread {
  /** Lets a guest in: at once (`undefined`), or when its turn has come. */
  acquire(): Promise<void> | undefined;
  /** Lets the next one in. */
  release(): void;
  /**
   * Resolves, for one after the other, when no guest wants the thread: what runs and what has waited goes before what is new. But where
   * somebody always wants it, the newcomer is let in after a bounded wait.
   */
  whenIdle(): Promise<void>;
  /** Resolves in a later task: everything else that is ready has had a turn by then. */
  nextTask(): Promise<void>;
  /** Whether guests have kept the thread from everything else for a slice: chains of microtasks do. */
  isDue(): boolean;
  /** Whether nothing is under way and nobody waits for a turn: what happens next comes from outside. Told truly once all microtasks have run. */
  isQuiet(): boolean;
  /** Closes the channel, which keeps the event loop alive once it is open. */
  close(): void;
}

/** Makes the thread's queues. */
export function createThread(): Thread {
  // A message to oneself is a macrotask without the floor of `setTimeout`.
  const waiting: (() => void)[] = [];
  let channel: MessageChannel | undefined;
  let lastTask = performance.now();
  const nextTask = (): Promise<void> => {
    if (channel === undefined) {
      channel = new MessageChannel();
      channel.port1.onmessage = () => {
        lastTask = performance.now();
        waiting.shift()?.();
      };
    }
    const { port2 } = channel;
    return new Promise((resolve) => {
      waiting.push(resolve);
      port2.postMessage(0);
    });
  };
  const newcomers: { readonly since: number; readonly letIn: () => void }[] = [];
  let looking: ReturnType<typeof setTimeout> | undefined;
  const admit = (): void => {
    if (looking !== undefined || newcomers.length === 0) return;
    // Those that wait for a quick call of theirs are back by then, and need no further realm.
    looking = setTimeout(() => {
      looking = undefined;
      if (turn.isTaken()) return;
      for (const newcomer of newcomers.splice(0, NEWCOMERS_AT_ONCE)) newcomer.letIn();
    }, IDLE_MS);
  };
  let lastOverdue = 0;
  // One at a time: on a slow machine all of them are overdue, and letting all in would only make each slower.
  const admitOverdue = (): void => {
    const first = newcomers[0];
    if (first === undefined) return;
    const now = performance.now();
    if (now - Math.max(first.since, lastOverdue) < MAX_NEWCOMER_WAIT_MS) return;
    lastOverdue = now;
    newcomers.shift();
    first.letIn();
  };
  // Handing over in the same task would keep everything else waiting for a slice of each guest that wants one.
  const later = (): Promise<void> | undefined =>
    performance.now() - lastTask > SLICE_MS ? nextTask() : undefined;
  const turn = createTurnstile({ onIdle: admit, onHandOver: admitOverdue, later });
  return {
    acquire: turn.acquire,
    release: turn.release,
    nextTask,
    isDue: () => performance.now() - lastTask > SLICE_MS,
    whenIdle() {
      return new Promise((resolve) => {
        newcomers.push({ since: performance.now(), letIn: resolve });
        if (!turn.isTaken()) admit();
      });
    },
    isQuiet: () => !turn.isTaken() && waiting.length === 0 && newcomers.length === 0,
    close() {
      clearTimeout(looking);
      looking = undefined;
      channel?.port1.close();
      channel?.port2.close();
      channel = undefined;
    },
  };
}

interface Turnstile extends Pick<Thread, "acquire" | "release"> {
  isTaken(): boolean;
}

function createTurnstile(
  { onIdle, onHandOver, later }: {
    readonly onIdle: () => void;
    readonly onHandOver: () => void;
    /** A promise when the next one is to be let in later. */
    readonly later: () => Promise<void> | undefined;
  },
): Turnstile {
  // A queue with a moving head: hundreds may wait.
  let queue: (() => void)[] = [];
  let head = 0;
  let taken = false;
  return {
    isTaken: () => taken,
    acquire() {
      if (!taken) {
        taken = true;
        return undefined;
      }
      return new Promise((resolve) => queue.push(resolve));
    },
    release() {
      const next = queue[head++];
      if (next !== undefined) {
        onHandOver();
        const wait = later();
        if (wait === undefined) next();
        else wait.then(next);
        return;
      }
      taken = false;
      queue = [];
      head = 0;
      onIdle();
    },
  };
}
