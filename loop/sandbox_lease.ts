/** The sandbox of one run, from its making to its end: disposed exactly once, also when it is ready only after the run has ended. */
import type { Sandbox } from "../contracts/sandbox.ts";

/** Owns the sandbox of one run. */
export class SandboxLease {
  #built: Promise<Sandbox> | undefined;
  #ready: Sandbox | undefined;
  #ended = false;

  /** Starts to make the sandbox. A failure shows when it is waited for. */
  start(build: () => Promise<Sandbox>): Promise<Sandbox> {
    this.#built = build();
    // Whoever waits for the sandbox hears of its failure; nobody else needs to.
    this.#built.then((sandbox) => this.#take(sandbox)).catch(() => {});
    return this.#built;
  }

  async #take(sandbox: Sandbox): Promise<void> {
    if (this.#ended) await sandbox[Symbol.asyncDispose]();
    else this.#ready = sandbox;
  }

  /** Disposes the sandbox, or sees to it that it will be when it is only being made. May reject with what the sandbox throws. */
  async end(): Promise<void> {
    this.#ended = true;
    const sandbox = this.#ready;
    this.#ready = undefined;
    await sandbox?.[Symbol.asyncDispose]();
  }
}
