/**
 * Giving up the thread: lets everything else that is ready on this thread run before a guest goes on.
 * A message to oneself is a macrotask without the floor of `setTimeout`.
 */

/** Gives up the thread. Owned by a runtime, which closes it. */
export interface Thread {
  /** Resolves in a later task. */
  nextTask(): Promise<void>;
  /** Closes the channel, which keeps the event loop alive once it is open. */
  close(): void;
}

/** Makes the queue of those that wait for their next turn. */
export function createThread(): Thread {
  const waiting: (() => void)[] = [];
  let channel: MessageChannel | undefined;
  return {
    nextTask() {
      if (channel === undefined) {
        channel = new MessageChannel();
        channel.port1.onmessage = () => waiting.shift()?.();
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
