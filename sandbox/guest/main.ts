/**
 * The guest process: reads frames from stdin, runs scripts, writes frames to stdout. It was given no permission; before anything
 * else it also gives away what a Deno without permissions still can, so that code that broke out of the engine finds little.
 * It ends with its stdin, and its watchdog ends it when it is stuck or orphaned.
 */
import { DEFAULT_SANDBOX_LIMITS } from "../../contracts/sandbox.ts";
import {
  bodyText,
  createFrameBatch,
  createFrameReader,
  type Frame,
  type GuestMessage,
  type HostMessage,
} from "../channel.ts";
import type { GuestReply } from "./execution.ts";
import type { GuestPack } from "./realm_bridge.ts";
import { createGuestRuntime, type GuestRuntime, type RunningScript } from "./runtime.ts";
import { startWatchdog, type Watchdog } from "./watchdog.ts";

/** What the process talks through, taken before the globals go. */
interface Pipes {
  read(into: Uint8Array): Promise<number | null>;
  /** Reads, and holds the thread up until there is something. */
  readSync(into: Uint8Array): number | null;
  write(bytes: Uint8Array): void;
  rssBytes(): number;
  exit(): never;
}

/** Serves the parent until stdin ends, then ends the process. */
export async function runGuest(): Promise<never> {
  const pipes = takePipes();
  const granted = grantedPermissions();
  const watchdog = startWatchdog();
  dropGlobals();
  const frames = createFrameBatch(pipes.write);
  const send = (message: GuestMessage, body?: string): void => frames.add(message, body);
  try {
    if (granted.length > 0) throw new Error(`the guest was given permissions: ${granted}`);
    const runtime = await createGuestRuntime(DEFAULT_SANDBOX_LIMITS);
    send({ type: "ready" });
    await serve(pipes, {
      runtime,
      desk: createDesk({ runtime, watchdog, send, rssBytes: pipes.rssBytes }),
    });
  } catch (error) {
    send({ type: "broken", message: error instanceof Error ? error.message : String(error) });
  }
  // The last frames are written before the process goes.
  await Promise.resolve();
  return pipes.exit();
}

function takePipes(): Pipes {
  const { stdin, stdout, exit, memoryUsage } = Deno;
  return {
    read: (into) => stdin.read(into),
    readSync: (into) => stdin.readSync(into),
    write(bytes) {
      for (let at = 0; at < bytes.length;) at += stdout.writeSync(bytes.subarray(at));
    },
    rssBytes: () => memoryUsage().rss,
    exit: () => exit(0),
  };
}

/** What a guest must not have. Imports are bounded by what is cached: the guest itself is one. */
const PERMISSIONS = ["read", "write", "net", "env", "sys", "run", "ffi"] as const;

function grantedPermissions(): readonly string[] {
  return PERMISSIONS.filter((name) => Deno.permissions.querySync({ name }).state === "granted");
}

/** Globals of the runtime that nothing here needs from now on. */
const UNNEEDED = [
  "BroadcastChannel",
  "Deno",
  "EventSource",
  "GPU",
  "Notification",
  "WebSocket",
  "WebSocketStream",
  "Worker",
  "XMLHttpRequest",
  "alert",
  "caches",
  "confirm",
  "fetch",
  "global",
  "indexedDB",
  "localStorage",
  "navigator",
  "process",
  "prompt",
  "sessionStorage",
];

function dropGlobals(): void {
  for (const name of UNNEEDED) Reflect.deleteProperty(globalThis, name);
}

/** Resolves when everything that is ready has been done. */
function settled(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/**
 * Takes what the parent sends. While every script waits for the parent, the thread does nothing but read: that is a third faster for each call than to have
 * the runtime read in a thread of its own, and costs half as much.
 */
async function serve(
  pipes: Pipes,
  { runtime, desk }: { readonly runtime: GuestRuntime; readonly desk: Desk },
): Promise<void> {
  const reader = createFrameReader<HostMessage>(() => Infinity);
  const piece = new Uint8Array(65_536);
  for (;;) {
    await settled();
    const isQuiet = runtime.isQuiet();
    if (isQuiet) runtime.tidy();
    const count = isQuiet ? pipes.readSync(piece) : await pipes.read(piece);
    if (count === null) return;
    reader.push(piece.subarray(0, count), desk.take);
  }
}

/** The process tells its memory after every so many scripts, and after each that failed. */
const MEMORY_INTERVAL = 20;

interface Desk {
  take(frame: Frame<HostMessage>): void;
}

/** Knows the scripts under way and what each waits for. */
function createDesk(
  parts: {
    readonly runtime: GuestRuntime;
    readonly watchdog: Watchdog;
    readonly send: (message: GuestMessage, body?: string) => void;
    readonly rssBytes: () => number;
  },
): Desk {
  const { runtime, watchdog, send } = parts;
  let ended = 0;
  const packs = new Map<number, readonly GuestPack[]>();
  const scripts = new Map<number, RunningScript>();
  /** Who waits for a reply, by script: what a script left open goes with it. */
  const calls = new Map<number, Map<number, (reply: GuestReply) => void>>();

  function evaluate(message: HostMessage & { type: "evaluate" }, body: Uint8Array): void {
    const { id, source, hasArgs, seed, nowMs, limits } = message;
    const open = new Map<number, (reply: GuestReply) => void>();
    calls.set(id, open);
    const running = runtime.start({
      source,
      ...(hasArgs && { argsJson: bodyText(body) }),
      seed,
      nowMs,
      limits,
      packs: packs.get(message.packs) ?? [],
    }, {
      call: (sequence, name, argsJson) => {
        send({ type: "call", id, sequence, name }, argsJson);
        return new Promise((resolve) => open.set(sequence, resolve));
      },
      answer: (json) => send({ type: "answer", id }, json),
      enter: (budgetMs) => watchdog.enter(id, budgetMs),
      leave: () => watchdog.leave(),
    });
    scripts.set(id, running);
    running.done.then(({ valueJson, ...execution }) => {
      scripts.delete(id);
      calls.delete(id);
      if (++ended % MEMORY_INTERVAL === 0 || execution.failure !== undefined) {
        send({ type: "memory", rssBytes: parts.rssBytes() });
      }
      send({ type: "done", id, hasValue: valueJson !== undefined, execution }, valueJson);
    }, (error) => {
      send({ type: "broken", message: error instanceof Error ? error.message : String(error) });
    });
  }

  function reply(message: HostMessage & { type: "reply" }, body: Uint8Array): void {
    const open = calls.get(message.id);
    const resolve = open?.get(message.sequence);
    open?.delete(message.sequence);
    const { nowMs, ok, jsonLength, hasText, textKey: key, name, message: said } = message;
    const values = bodyText(body);
    resolve?.({
      nowMs,
      ok,
      name,
      message: said,
      ...(jsonLength !== undefined && { json: values.slice(0, jsonLength) }),
      ...(hasText === true && { text: { key, value: values.slice(jsonLength ?? 0) } }),
    });
  }

  return {
    take({ message, body }) {
      switch (message.type) {
        case "packs":
          packs.set(message.key, message.packs);
          return runtime.prepare(message.limits, message.packs);
        case "evaluate":
          return evaluate(message, body);
        case "reply":
          return reply(message, body);
        case "cancel":
          return scripts.get(message.id)?.cancel();
      }
    },
  };
}

if (import.meta.main) await runGuest();
