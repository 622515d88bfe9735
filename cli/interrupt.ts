/**
 * Ctrl-C and the other signals that ask a program to end. The first one ends the run in an orderly way through an `AbortSignal`,
 * the second ends the program at once.
 */

/** A signal that asks the program to end. */
export type InterruptSignal = "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGBREAK";

/** Exit codes after a signal: 128 + its number, as shells have it. */
const EXIT_CODES: Readonly<Record<InterruptSignal, number>> = {
  SIGINT: 130,
  SIGTERM: 143,
  SIGHUP: 129,
  SIGBREAK: 149,
};

/** What is known of the signals that arrived. Disposing stops listening. */
export interface Interrupt extends Disposable {
  /** Ends at the first signal. After {@linkcode Interrupt.rearm} it is a new one. */
  readonly signal: AbortSignal;
  /** The signal that arrived first, if one did. */
  readonly received: InterruptSignal | undefined;
  /** The exit code that belongs to it. */
  readonly exitCode: number | undefined;
  /** Does what the arrival of this signal does: for a terminal where Ctrl-C is a key for the moment. */
  raise(name: InterruptSignal): void;
  /** Forgets the signal that arrived, so that the next one counts as the first again. */
  rearm(): void;
}

/** Listens for signals. `onSecond` is called at the second one and is expected to end the program. */
export function listenForInterrupts(
  onSecond: (exitCode: number) => void,
  options: { readonly onFirst?: (signal: InterruptSignal) => void } = {},
): Interrupt {
  let controller = new AbortController();
  let received: InterruptSignal | undefined;
  const signals: readonly InterruptSignal[] = Deno.build.os === "windows"
    ? ["SIGINT", "SIGBREAK"]
    : ["SIGINT", "SIGTERM", "SIGHUP"];

  function arrive(name: InterruptSignal): void {
    if (received !== undefined) return onSecond(EXIT_CODES[name]);
    received = name;
    options.onFirst?.(name);
    controller.abort(new DOMException(`Stopped by ${name}.`, "AbortError"));
  }

  const listeners = signals.map((name) => {
    const listener = () => arrive(name);
    Deno.addSignalListener(name, listener);
    return { name, listener };
  });

  return {
    get signal() {
      return controller.signal;
    },
    get received() {
      return received;
    },
    get exitCode() {
      return received === undefined ? undefined : EXIT_CODES[received];
    },
    raise: arrive,
    rearm() {
      received = undefined;
      controller = new AbortController();
    },
    [Symbol.dispose]() {
      for (const { name, listener } of listeners) Deno.removeSignalListener(name, listener);
    },
  };
}
