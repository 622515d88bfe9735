/**
 * What a run starts ahead of need: the client's package at once, the guest once the model has been asked. A guest takes a second core while it starts;
 * before the request it would only hold that up, and after it there is time.
 */
import type { Client } from "../contracts/model.ts";
import type { Sandbox } from "../contracts/sandbox.ts";
import { startTimer } from "../contracts/timer.ts";

/** From the call of the client to the moment at which its request is surely on the way, in ms: the first one of a program takes some 15 until it is. */
const SENDING_MS = 40;

/** The warm-up of one run. Dispose it when the run has ended. */
export class WarmUp implements Disposable {
  readonly #client: Promise<void>;
  #isAsked = false;
  #ended = false;
  #stopTimer: (() => void) | undefined;

  /** Lets the client load what it needs. Whether that works shows at the first call. */
  constructor(llm: Client) {
    this.#client = Promise.try(() => llm.warmUp?.()).catch(() => {});
  }

  /** Told at each call of the model: the first time, the sandbox is warmed up as soon as the request has left. */
  async asked(sandbox: Sandbox): Promise<void> {
    if (this.#isAsked) return;
    this.#isAsked = true;
    await this.#client;
    if (this.#ended) return;
    this.#stopTimer = startTimer(SENDING_MS, () => warm(sandbox));
  }

  /** Starts nothing any more. */
  [Symbol.dispose](): void {
    this.#ended = true;
    this.#stopTimer?.();
  }
}

/** What goes wrong here shows again in the first script. */
function warm(sandbox: Sandbox): void {
  Promise.try(() => sandbox.warmUp?.()).catch(() => {});
}
