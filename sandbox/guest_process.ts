/**
 * One guest process as its parent sees it: started, sent scripts, answered, killed. It trusts nothing that the process
 * says beyond the form of its frames: ids that are not known are dropped, sizes are checked before anything is decoded.
 */
import { AgentLoopError } from "../contracts/errors.ts";
import type { SandboxLimits } from "../contracts/sandbox.ts";
import {
  createFrameBatch,
  createFrameReader,
  type Frame,
  type FrameBatch,
  type GuestMessage,
  type HostMessage,
} from "./channel.ts";
import type { GuestCommand } from "./guest_command.ts";

/** What happens to a script inside the process. */
export interface ScriptListener {
  onMessage(message: GuestMessage & { readonly id: number }, body: Uint8Array): void;
  /** The process is gone. `culprit` is true for the script that it was stuck in. */
  onExit(culprit: boolean): void;
}

/** A guest process. Owned by the host that started it. */
export interface GuestProcess {
  /** Resolves when the guest is ready. Rejects when it never will be. */
  readonly ready: Promise<void>;
  /** Whether it is by now. */
  readonly isReady: boolean;
  /** Scripts that were started in it. */
  readonly started: number;
  /** Scripts under way. */
  readonly active: number;
  /** Whether it can still be used. */
  readonly alive: boolean;
  /** Resident memory as the process last told it; 0 before. */
  readonly rssBytes: number;
  /** Resolves when the process is gone. */
  readonly gone: Promise<void>;
  /** Sends a message; nothing happens when the process is gone. */
  send(message: HostMessage, body?: string): void;
  /** Makes room for the frames that scripts under these limits may write. */
  allow(limits: SandboxLimits): void;
  /** Keeps the program from ending until the returned function is called: somebody waits for the process. */
  hold(): () => void;
  /** Registers a script and gives it an id. */
  register(listener: ScriptListener): number;
  /** Forgets a script. */
  release(id: number): void;
  /** Kills the process and resolves when it is gone. */
  kill(): Promise<void>;
}

/**
 * Starts a guest process. Failures of the process to become ready reject `ready`.
 *
 * @throws {AgentLoopError} `sandbox_start` when there is no process at all.
 */
export function startGuestProcess(command: GuestCommand): GuestProcess {
  // Not node's `spawn`: for the runtime's own path that one adds permissions and variables of its own.
  const options: Deno.CommandOptions = {
    args: [...command.args],
    clearEnv: true,
    env: { ...command.env },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  };
  try {
    return new ChildGuest(new Deno.Command(command.path, options).spawn());
  } catch (error) {
    throw startError(error instanceof Error ? error.message : String(error));
  }
}

/** A start takes a fifth of a second; a machine that needs this long will not get there. */
const START_MS = 60_000;

class ChildGuest implements GuestProcess {
  readonly ready: Promise<void>;
  readonly gone: Promise<void>;
  readonly #child: Deno.ChildProcess;
  readonly #stdin: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  readonly #frames: FrameBatch;
  readonly #listeners = new Map<number, ScriptListener>();
  #ready!: { resolve(): void; reject(error: Error): void };
  #stderr = "";
  #nextId = 1;
  #started = 0;
  #culprit: number | undefined;
  #alive = true;
  #isReady = false;
  #holders = 0;
  #rssBytes = 0;
  /** Enough for what a guest says before it has run a script. */
  #frameBytes = 65_536;

  constructor(child: Deno.ChildProcess) {
    this.#child = child;
    this.#stdin = child.stdin.getWriter();
    this.#frames = createFrameBatch((bytes) => this.#stdin.write(bytes).catch(() => {}));
    this.#stdin.closed.catch(() => {}); // a broken pipe shows as the end of the process
    this.ready = new Promise((resolve, reject) => this.#ready = { resolve, reject });
    const overdue = setTimeout(() => {
      this.#ready.reject(startError(`it was not ready within ${START_MS / 1000} s`));
      this.#end();
    }, START_MS);
    Deno.unrefTimer(overdue);
    const started = (): void => clearTimeout(overdue);
    this.ready.then(started, started);
    // The last words count: a stuck guest is named just before it is killed.
    this.gone = Promise.all([child.status, this.#readFrames(), this.#readErrors()]).then(() =>
      this.#gone()
    );
    this.#applyHold();
  }

  get started(): number {
    return this.#started;
  }

  get active(): number {
    return this.#listeners.size;
  }

  get rssBytes(): number {
    return this.#rssBytes;
  }

  get isReady(): boolean {
    return this.#isReady && this.#alive;
  }

  get alive(): boolean {
    return this.#alive;
  }

  send(message: HostMessage, body?: string): void {
    if (this.#alive) this.#frames.add(message, body);
  }

  allow(limits: SandboxLimits): void {
    this.#frameBytes = Math.max(this.#frameBytes, frameBound(limits));
  }

  register(listener: ScriptListener): number {
    const id = this.#nextId++;
    this.#started++;
    this.#listeners.set(id, listener);
    this.#refer(+1);
    return id;
  }

  release(id: number): void {
    if (this.#listeners.delete(id)) this.#refer(-1);
  }

  hold(): () => void {
    this.#refer(+1);
    let held = true;
    return () => {
      if (held) this.#refer(-1);
      held = false;
    };
  }

  async kill(): Promise<void> {
    this.#refer(+1);
    this.#end();
    await this.gone;
  }

  #end(): void {
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }

  async #readFrames(): Promise<void> {
    const frames = createFrameReader<GuestMessage>(() => this.#frameBytes);
    const reader = this.#child.stdout.getReader({ mode: "byob" });
    let buffer = new Uint8Array(65_536);
    try {
      for (;;) {
        const { value, done } = await reader.read(buffer);
        if (done) return;
        frames.push(value, (frame) => this.#receive(frame));
        buffer = new Uint8Array(value.buffer);
      }
    } catch {
      // Not the form of our frames: the process is no longer ours.
      this.#end();
      await reader.cancel().catch(() => {});
    }
  }

  async #readErrors(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const piece of this.#child.stderr) {
      this.#stderr = (this.#stderr + decoder.decode(piece, { stream: true })).slice(-2000);
    }
  }

  #receive({ message, body }: Frame<GuestMessage>): void {
    switch (message.type) {
      case "ready":
        this.#isReady = true;
        return this.#ready.resolve();
      case "broken":
        this.#ready.reject(startError(String(message.message)));
        return this.#end();
      case "stuck":
        this.#culprit = message.id;
        return;
      case "memory":
        this.#rssBytes = Number(message.rssBytes);
        return;
      default:
        this.#listeners.get(message.id)?.onMessage(message, body);
    }
  }

  #gone(): void {
    this.#alive = false;
    const said = this.#stderr.trim().split("\n")[0];
    this.#ready.reject(startError(said ? `it ended: ${said}` : "it ended"));
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const [id, listener] of listeners) listener.onExit(id === this.#culprit);
    this.#stdin.abort().catch(() => {});
  }

  /** Counts those that wait for the process; one that nobody waits for must not keep the program from ending. */
  #refer(change: number): void {
    const before = this.#holders > 0;
    this.#holders += change;
    if (before !== this.#holders > 0) this.#applyHold();
  }

  #applyHold(): void {
    if (this.#holders > 0) this.#child.ref();
    else this.#child.unref();
  }
}

/** The largest frame that an honest guest writes: a value, or a log quoted in its head. */
function frameBound(limits: SandboxLimits): number {
  const value = Math.max(limits.argsBytes, limits.callArgumentBytes);
  const log = limits.logBytes < 0 ? 256 * 1024 * 1024 : 6 * limits.logBytes;
  return value + log + 1024 * 1024;
}

function startError(reason: string): AgentLoopError {
  // The runtime names the address it would have fetched from, which helps nobody.
  const uncached = /not found in cache|--cached-only|Failed loading/.test(reason);
  const text = uncached
    ? "the script engine's package is not in the cache. Run the program once with network access, " +
      "and grant --allow-env=DENO_DIR,HOME,XDG_CACHE_HOME if the cache is not in its usual place"
    : reason.replace(/\.+$/, "");
  return new AgentLoopError(`The guest process could not be started: ${text}.`, {
    code: "sandbox_start",
  });
}
