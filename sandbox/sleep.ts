/** `sleep(ms)` of scripts: the one call that the sandbox answers itself, since it reaches nothing outside. */
import type { HostReply } from "../contracts/sandbox.ts";

/** The name under which the realm calls it. */
export const SLEEP = "sleep";

/** A timer takes 31 bits; a longer wait outlasts every run. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Waits as the script asked, at most until the signal ends. Never rejects. */
export function sleepAsAsked(argsJson: string, signal: AbortSignal): Promise<HostReply> {
  const [ms] = JSON.parse(argsJson) as [number];
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", finish);
      resolve({ ok: true });
    };
    const timer = setTimeout(finish, Math.min(ms, MAX_TIMER_MS));
    signal.addEventListener("abort", finish);
    if (signal.aborted) finish();
  });
}
