/**
 * Who runs on this thread. Guest code of one execution at a time: whoever runs holds the thread from the moment it is let in to the moment
 * its code ends or suspends, so that its time is its own and the watchdog watches the right one. Others wait in order.
 */

/** A guest runs this long before it lets everything else on its thread have a turn. */
export const SLICE_MS = 5;

/** The thread that guests share. Owned by a runtime, which closes it. */
export interface Thread {
  /** Lets a guest in: at once (`undefined`), or when its turn has come. */
  acquire(): Promise<void> | undefined;
  /** Lets the next one in. */
  release(): void;
  /** Resolves in a later task: everything else that is ready has had a turn by then. */
  nextTask(): Promise<void>;
  /** Whether guests have kept the thread from everything else for a slice: chains of microtasks do. */
  isDue(): boolean;
  /** Closes the channel, which keeps the event loop alive once it is open. */
  close(): void;
}

/** Makes the thread's queues. */
export function createThread(): Thread {
  const turn = createTurnstile();
  // A message to oneself is a macrotask without the floor of `setTimeout`.
  const waiting: (() => void)[] = [];
  let channel: MessageChannel | undefined;
  let lastTask = performance.now();
  return {
    ...turn,
    isDue: () => performance.now() - lastTask > SLICE_MS,
    nextTask() {
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
    },
    close() {
      channel?.port1.close();
      channel?.port2.close();
      channel = undefined;
    },
  };
}

function createTurnstile(): Pick<Thread, "acquire" | "release"> {
  // A queue with a moving head: hundreds may wait.
  let queue: (() => void)[] = [];
  let head = 0;
  let taken = false;
  return {
    acquire() {
      if (!taken) {
        taken = true;
        return undefined;
      }
      return new Promise((resolve) => queue.push(resolve));
    },
    release() {
      const next = queue[head++];
      if (next !== undefined) return next();
      taken = false;
      queue = [];
      head = 0;
    },
  };
}
