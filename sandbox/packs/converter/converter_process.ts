/**
 * One converter process as its parent sees it: started, given one text at a time, killed. It trusts nothing that the process says beyond the form
 * of its frames, and the process is not used again after anything but a result.
 */
import { AgentLoopError } from "../../../contracts/errors.ts";
import {
  bodyText,
  createFrameReader,
  encodeFrame,
  type Frame,
  type HostMessage,
} from "../../channel.ts";
import type { GuestCommand } from "../../guest_command.ts";
import {
  ConversionError,
  type ConversionName,
  outOfMemory,
  outputTooLarge,
  tookTooLong,
} from "./conversion_error.ts";
import type { ConversionTask, ConverterReply, ConverterRequest } from "./process/message.ts";

/** Limits of each conversion. */
export interface ConversionLimits {
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  readonly memoryMib: number;
}

/** One text and what to do with it. */
export interface ConversionJob {
  readonly name: ConversionName;
  readonly task: ConversionTask;
  readonly text: string;
}

/** A converter process. Owned by whoever started it. */
export interface ConverterProcess {
  /** Conversions that were begun in it. */
  readonly served: number;
  /** Whether it can be given another text. */
  readonly usable: boolean;
  /** Resolves when the process is gone. */
  readonly gone: Promise<void>;
  /**
   * Converts a text; one at a time. When the signal ends, the process is killed.
   *
   * @throws {ConversionError} when a limit was met or the text could not be converted.
   * @throws {AgentLoopError} `sandbox_start` when the process did not get to it.
   */
  convert(job: ConversionJob, signal: AbortSignal): Promise<string>;
  /** Kills the process and resolves when it is gone. */
  kill(): Promise<void>;
}

/** A start with its packages takes a third of a second; a machine that needs this long will not get there. */
const START_MS = 30_000;

/**
 * Starts a process.
 *
 * @throws {AgentLoopError} `sandbox_start` when there is no process at all.
 */
export function startConverterProcess(
  command: GuestCommand,
  limits: ConversionLimits,
): ConverterProcess {
  try {
    const child = new Deno.Command(command.path, {
      args: [...command.args],
      env: { ...command.env },
      clearEnv: true,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    return new ChildConverter(child, limits);
  } catch (error) {
    throw startError(error instanceof Error ? error.message : String(error));
  }
}

/** The conversion under way. */
interface Pending {
  readonly job: ConversionJob;
  readonly resolve: (result: string) => void;
  readonly reject: (error: unknown) => void;
  timer: ReturnType<typeof setTimeout>;
  started: boolean;
}

class ChildConverter implements ConverterProcess {
  readonly gone: Promise<void>;
  readonly #child: Deno.ChildProcess;
  readonly #limits: ConversionLimits;
  readonly #stdin: WritableStreamDefaultWriter<Uint8Array>;
  #pending: Pending | undefined;
  #served = 0;
  #usable = true;
  #stderr = "";

  constructor(child: Deno.ChildProcess, limits: ConversionLimits) {
    this.#child = child;
    this.#limits = limits;
    this.#stdin = child.stdin.getWriter();
    this.#stdin.closed.catch(() => {});
    this.gone = this.#watch();
    child.unref();
  }

  get served(): number {
    return this.#served;
  }

  get usable(): boolean {
    return this.#usable;
  }

  async convert(job: ConversionJob, signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    if (!this.#usable || this.#pending !== undefined) {
      throw new Error("A converter process takes one text at a time, and none once it has failed.");
    }
    const id = ++this.#served;
    const { timeoutMs, maxOutputBytes } = this.#limits;
    const onAbort = (): void => this.#fail(signal.reason);
    // A process that somebody waits for keeps the program from ending; an idle one does not.
    this.#child.ref();
    try {
      return await new Promise<string>((resolve, reject) => {
        const timer = setTimeout(() => this.#overdue(), START_MS);
        this.#pending = { job, resolve, reject, timer, started: false };
        signal.addEventListener("abort", onAbort, { once: true });
        const request: ConverterRequest = { id, task: job.task, timeoutMs, maxOutputBytes };
        // The channel's frames carry any message; their type names only those of the guest.
        const frame = encodeFrame(request as unknown as HostMessage, job.text);
        // A process that is gone is heard of where its end is.
        this.#stdin.write(frame).catch(() => {});
      });
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#settle();
    }
  }

  #settle(): void {
    clearTimeout(this.#pending?.timer);
    this.#pending = undefined;
    this.#child.unref();
  }

  async kill(): Promise<void> {
    this.#child.ref();
    this.#end();
    await this.gone;
  }

  async #watch(): Promise<void> {
    const output = this.#readOutput();
    const errors = this.#readErrors();
    await this.#child.status;
    this.#usable = false;
    // What was written before the end may say why it came.
    await Promise.all([output, errors]);
    this.#stdin.abort().catch(() => {});
    this.#fail(this.#reasonOfEnd());
  }

  async #readOutput(): Promise<void> {
    const reader = createFrameReader<ConverterReply>(() => this.#limits.maxOutputBytes + 65_536);
    try {
      for await (const piece of this.#child.stdout) {
        reader.push(piece, (frame) => this.#receive(frame));
      }
    } catch {
      // Not the form of our frames: the process is no longer ours.
      this.#fail(startError("it sent what is no answer"));
    }
  }

  async #readErrors(): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const piece of this.#child.stderr) {
        this.#stderr = (this.#stderr + decoder.decode(piece)).slice(0, 2000);
      }
    } catch {
      // The pipe broke with the process.
    }
  }

  #receive({ message, body }: Frame<ConverterReply>): void {
    const pending = this.#pending;
    if (pending === undefined || message.id !== this.#served) return;
    const { name } = pending.job;
    switch (message.type) {
      case "started":
        clearTimeout(pending.timer);
        pending.started = true;
        pending.timer = setTimeout(() => this.#overdue(), this.#limits.timeoutMs);
        return;
      case "done":
        return pending.resolve(bodyText(body));
      case "large": {
        const sizes = { bytes: Number(message.bytes), limit: this.#limits.maxOutputBytes };
        return this.#fail(outputTooLarge(name, sizes));
      }
      case "stuck":
        return this.#fail(tookTooLong(name, this.#limits.timeoutMs));
      case "failed": {
        const reason = String(message.message).slice(0, 500);
        return this.#fail(new ConversionError(name, `${name.input} was not converted: ${reason}`));
      }
    }
  }

  #overdue(): void {
    const pending = this.#pending;
    if (pending === undefined) return;
    this.#fail(
      pending.started
        ? tookTooLong(pending.job.name, this.#limits.timeoutMs)
        : startError(`it was not ready within ${START_MS / 1000} s`),
    );
  }

  /** Ends the process and the conversion under way. */
  #fail(error: unknown): void {
    this.#end();
    this.#pending?.reject(error);
  }

  #end(): void {
    this.#usable = false;
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // It is gone already.
    }
  }

  #reasonOfEnd(): Error {
    const pending = this.#pending;
    if (pending !== undefined && /out of memory|heap limit/i.test(this.#stderr)) {
      return outOfMemory(pending.job.name, this.#limits.memoryMib);
    }
    const said = this.#stderr.trim().split("\n")[0];
    return pending?.started
      ? new ConversionError(pending.job.name, "the process that converts ended; try again")
      : startError(said || "it ended");
  }
}

function startError(reason: string): AgentLoopError {
  return new AgentLoopError(`The converter process could not be started: ${reason}.`, {
    code: "sandbox_start",
  });
}
