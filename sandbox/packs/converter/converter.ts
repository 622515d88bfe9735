/**
 * Converts texts that nobody trusts, each in a process without permissions that is thrown away when it fails. A process serves one run only, and waits
 * a short time for the run's next text. How many there are at once is bounded; those that find none free wait their turn.
 */
import { refuseUnknown } from "../../../contracts/known_names.ts";
import { converterCommand } from "./converter_command.ts";
import { inputTooLarge } from "./conversion_error.ts";
import {
  type ConversionJob,
  type ConverterProcess,
  startConverterProcess,
} from "./converter_process.ts";

/** Options of {@linkcode createConverter}. */
export interface ConverterOptions {
  /** Time of one conversion, the start of its process not counted; then the process is killed. @default 5_000 */
  readonly timeoutMs?: number;
  /** Bytes of a text to convert, as UTF-8; a script's own text is also bound by the limit `callArgumentBytes`, 1 MiB unless set. @default 4_194_304 (4 MiB) */
  readonly maxInputBytes?: number;
  /** Bytes of a result, as UTF-8. @default 4_194_304 (4 MiB) */
  readonly maxOutputBytes?: number;
  /** Heap of a process, in MiB. @default 256 */
  readonly memoryMib?: number;
  /** Processes at once, over all runs. @default 4 */
  readonly maxProcesses?: number;
  /** Time that a process waits for its run's next text. @default 5_000 */
  readonly idleMs?: number;
}

/** Converts for one run. */
export interface RunConverter {
  /**
   * Converts a text. The result is Markdown for HTML and JSON text for Markdown.
   *
   * @throws {ConversionError} when a limit was met, whose name and value the message tells, or when the text could not be converted.
   * @throws {AgentLoopError} `sandbox_permission` or `sandbox_start` when there can be no process.
   */
  convert(job: ConversionJob, signal: AbortSignal): Promise<string>;
}

/** Owns converter processes. Disposing it kills them; without that, they end with their run, when they idle, and with the program. */
export interface Converter extends AsyncDisposable {
  /** The converter of the run that ends with `signal`. Packs that are built for one run share its processes. */
  forRun(signal: AbortSignal): RunConverter;
}

const OPTIONS: Readonly<Record<keyof ConverterOptions, true>> = {
  timeoutMs: true,
  maxInputBytes: true,
  maxOutputBytes: true,
  memoryMib: true,
  maxProcesses: true,
  idleMs: true,
};

/** Texts after which a process is replaced, so that nothing adds up in it. */
const MAX_SERVED = 50;

/**
 * Makes a converter. Starts nothing.
 *
 * @throws {TypeError} when there is no such option. @throws {RangeError} when one is out of range.
 */
export function createConverter(options: ConverterOptions = {}): Converter {
  refuseUnknown("convert", options, OPTIONS);
  const limits = {
    timeoutMs: atLeastOne("timeoutMs", options.timeoutMs ?? 5000),
    maxInputBytes: atLeastOne("maxInputBytes", options.maxInputBytes ?? 4 * 1024 * 1024),
    maxOutputBytes: atLeastOne("maxOutputBytes", options.maxOutputBytes ?? 4 * 1024 * 1024),
    memoryMib: atLeastOne("memoryMib", options.memoryMib ?? 256),
    maxProcesses: atLeastOne("maxProcesses", options.maxProcesses ?? 4),
    idleMs: atLeastOne("idleMs", options.idleMs ?? 5000),
  };
  return new ProcessConverter(limits);
}

function atLeastOne(name: string, value: number): number {
  if (Number.isFinite(value) && value >= 1) return value;
  throw new RangeError(`${name} must be a number of at least 1, not ${value}.`);
}

/** A process with the run that it serves. */
interface Worker {
  readonly process: ConverterProcess;
  readonly run: AbortSignal;
  busy: boolean;
  idleTimer?: ReturnType<typeof setTimeout>;
}

/** A text that waits for a process. */
interface Waiting {
  readonly run: AbortSignal;
  readonly take: () => void;
}

class ProcessConverter implements Converter {
  readonly #limits: Required<ConverterOptions>;
  readonly #workers = new Set<Worker>();
  readonly #queue: Waiting[] = [];
  readonly #runs = new WeakMap<AbortSignal, RunConverter>();

  constructor(limits: Required<ConverterOptions>) {
    this.#limits = limits;
  }

  forRun(run: AbortSignal): RunConverter {
    const known = this.#runs.get(run);
    if (known !== undefined) return known;
    const made: RunConverter = { convert: (job, signal) => this.#convert(job, { run, signal }) };
    this.#runs.set(run, made);
    run.addEventListener("abort", () => this.#endRun(run), { once: true });
    return made;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#workers].map((worker) => this.#drop(worker)));
  }

  async #convert(
    job: ConversionJob,
    ends: { readonly run: AbortSignal; readonly signal: AbortSignal },
  ): Promise<string> {
    const { maxInputBytes } = this.#limits;
    const bytes = utf8Length(job.text);
    if (bytes > maxInputBytes) throw inputTooLarge(job.name, { bytes, limit: maxInputBytes });
    const signal = AbortSignal.any([ends.run, ends.signal]);
    const worker = await this.#acquire(ends.run, signal).catch((error) => {
      // Whoever was woken and cannot go on leaves the turn to the next.
      this.#next();
      throw error;
    });
    try {
      return await worker.process.convert(job, signal);
    } finally {
      this.#release(worker);
    }
  }

  /** A process of the run's own: one that idles, a new one where there is room, or the next that comes free. */
  async #acquire(run: AbortSignal, signal: AbortSignal): Promise<Worker> {
    for (;;) {
      signal.throwIfAborted();
      if (!this.#mayHaveMore(run)) {
        await this.#turn(run, signal);
        continue;
      }
      const idle = [...this.#workers].filter((worker) => !worker.busy);
      const own = idle.find((worker) => worker.run === run && worker.process.usable);
      if (own !== undefined) {
        clearTimeout(own.idleTimer);
        own.busy = true;
        return own;
      }
      if (this.#workers.size < this.#limits.maxProcesses) {
        return this.#start(run);
      }
      const foreign = idle[0];
      if (foreign === undefined) await this.#turn(run, signal);
      else await this.#drop(foreign);
    }
  }

  /** Whether a run may use one more at once: no run takes them all, where there are some. */
  #mayHaveMore(run: AbortSignal): boolean {
    const most = Math.ceil(this.#limits.maxProcesses / 2);
    let busy = 0;
    for (const worker of this.#workers) if (worker.busy && worker.run === run) busy++;
    return busy < most;
  }

  #start(run: AbortSignal): Worker {
    const command = converterCommand(this.#limits.memoryMib);
    const process = startConverterProcess(command, this.#limits);
    const worker: Worker = { process, run, busy: true };
    this.#workers.add(worker);
    process.gone.then(() => this.#forget(worker));
    return worker;
  }

  #turn(run: AbortSignal, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        run,
        take: () => {
          signal.removeEventListener("abort", leave);
          resolve();
        },
      };
      const leave = (): void => {
        this.#queue.splice(this.#queue.indexOf(waiting), 1);
        reject(signal.reason);
      };
      signal.addEventListener("abort", leave, { once: true });
      this.#queue.push(waiting);
    });
  }

  #release(worker: Worker): void {
    worker.busy = false;
    const { process, run } = worker;
    if (!process.usable || process.served >= MAX_SERVED || run.aborted) {
      this.#drop(worker);
      return;
    }
    const timer = setTimeout(() => this.#drop(worker), this.#limits.idleMs);
    Deno.unrefTimer(timer);
    worker.idleTimer = timer;
    this.#next();
  }

  /** Lets the next in the queue that may have one look again: a process came free, or there is room for one. */
  #next(): void {
    const at = this.#queue.findIndex(({ run }) => this.#mayHaveMore(run));
    if (at >= 0) this.#queue.splice(at, 1)[0]!.take();
  }

  #drop(worker: Worker): Promise<void> {
    clearTimeout(worker.idleTimer);
    return worker.process.kill();
  }

  #forget(worker: Worker): void {
    clearTimeout(worker.idleTimer);
    this.#workers.delete(worker);
    this.#next();
  }

  #endRun(run: AbortSignal): void {
    for (const worker of this.#workers) if (worker.run === run) this.#drop(worker);
  }
}

/** Bytes of a text as UTF-8, without making them. A lone surrogate counts as the three bytes of its replacement. */
function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80) continue;
    bytes += code < 0x800 ? 1 : 2;
    if (code >= 0xd800 && code < 0xdc00 && isLowSurrogate(text.charCodeAt(at + 1))) at++;
  }
  return bytes;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000;
}
