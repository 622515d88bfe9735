/**
 * Runs inside the guest realm: everything a script can reach of us. It defines `log`, `console`, `answer`, `sleep` and the host
 * functions, calls `run`, and gives the outcome as text. It returns one control function, which only the host holds. Sent to the realm as text.
 */
import type { Encoded, Encoder } from "./realm_encoder.ts";
import type { Inspector } from "./realm_inspector.ts";
import type { Intrinsics } from "./realm_intrinsics.ts";

/** What the realm may ask of the host. Texts only; `call` suspends the realm, the others return at once. */
export type HostOperation = "call" | "start" | "log" | "answer" | "format" | "seed";

/** Limits that the realm itself checks, before anything is copied out. */
export interface RealmLimits {
  readonly argsBytes: number;
  readonly hostCalls: number;
  readonly callArgumentBytes: number;
  readonly logBytes: number;
}

/** What a realm is set up with, once. */
export interface RealmSetup {
  readonly limits: RealmLimits;
  readonly packs: readonly GuestPack[];
}

/** The functions of one pack, and the code that dresses them. */
export interface GuestPack {
  /** Names that become global functions. */
  readonly functions: readonly string[];
  /** Code that runs before any script; see `Pack.guestSource`. */
  readonly source?: string;
}

/** What the host may ask of the realm; every operation takes and returns text, but for the value given to `describe`. `setup` comes once, before all others. */
export type ControlOperation =
  | "setup"
  | "run"
  | "settle"
  | "outcome"
  | "describe";

/** The realm's control function. */
export type Control = (
  operation: ControlOperation,
  first?: unknown,
  second?: unknown,
) => string | undefined;

/** Makes the control function. */
export function createBridge(
  host: (operation: HostOperation, text: string) => string,
  parts: {
    readonly intrinsics: Intrinsics;
    readonly encode: Encoder;
    readonly inspector: Inspector;
    /** The script's own `run`, whatever it is; nothing where there is none. */
    readonly scriptRun: () => unknown;
  },
): Control {
  const { intrinsics, encode, inspector, scriptRun } = parts;
  const {
    apply,
    defineProperty,
    newSet,
    parse,
    setPrototypeOf,
    slice,
    stringify,
    toText,
    typeError,
    rangeError,
  } = intrinsics;
  type Settle = { resolve: (value: unknown) => void; reject: (error: unknown) => void };
  const waiting = setPrototypeOf({} as Record<string, Settle>, null);
  const limitErrors = newSet();
  const modules = setPrototypeOf({} as Record<string, unknown>, null);
  let limits: RealmLimits = { argsBytes: 0, hostCalls: 0, callArgumentBytes: 0, logBytes: 0 };
  let asynchronous = false;
  let calls = 0;
  let answered = false;
  let outcome: string | undefined;
  let random: number | undefined;

  function limitError(message: string): Error {
    const error = rangeError(message);
    limitErrors.add(error);
    return error;
  }

  /** JSON of a record of our own; without a prototype, so that no `toJSON` of a script's is asked. */
  function toJson(record: object): string {
    return stringify(setPrototypeOf(record, null));
  }

  function define(name: string, value: unknown): void {
    defineProperty(globalThis, name, {
      value,
      writable: true,
      enumerable: false,
      configurable: true,
    });
  }

  // Host calls

  function callHost(name: string, args: unknown[], now?: boolean): unknown {
    const text = encodeArguments(name, args);
    if (++calls > limits.hostCalls) {
      throw limitError(
        "the limit of " + toText(limits.hostCalls) + " host calls a turn is reached",
      );
    }
    if (!asynchronous || now === true) return decodeReply(host("call", name + "\n" + text));
    const id = host("start", name + "\n" + text);
    if (id[0] === "!") decodeReply(id);
    return intrinsics.newPromise((resolve, reject) => {
      waiting[id] = { resolve, reject };
    });
  }

  function encodeArguments(name: string, args: unknown[]): string {
    let length = args.length;
    while (length > 0 && args[length - 1] === undefined) length--;
    args.length = length;
    const encoded = encode(args, name + " arguments", limits.callArgumentBytes);
    if (encoded.ok) return encoded.text ?? "[]";
    if (encoded.kind === "limit") {
      throw limitError(
        "the arguments of " + name + " are over the limit of " + toText(limits.callArgumentBytes) +
          " bytes (callArgumentBytes); pass less at once",
      );
    }
    throw typeError(encoded.message);
  }

  /**
   * A reply is `+` and JSON, `~` and a text, `#` and a text that belongs into the JSON before it, `=` for no value, `!` and a limit's message, or `-` and
   * the JSON of a name and a message.
   */
  function decodeReply(reply: string): unknown {
    if (reply[0] === "+") return parse(slice(reply, 1));
    if (reply[0] === "~") return slice(reply, 1);
    if (reply[0] === "#") return decodeLong(reply);
    if (reply[0] === "=") return undefined;
    if (reply[0] === "!") throw limitError(slice(reply, 1));
    const { name, message } = parse(slice(reply, 1)) as { name: string; message: string };
    throw intrinsics.errorNamed(name, message);
  }

  /** After the mark: the lengths of a key and of JSON, ten digits each, then the key, the JSON of an object, and the text that is the value of the key. */
  function decodeLong(reply: string): unknown {
    const keyEnd = 21 + +slice(reply, 1, 11);
    const jsonEnd = keyEnd + +slice(reply, 11, 21);
    const value = parse(slice(reply, keyEnd, jsonEnd)) as Record<string, unknown>;
    value[slice(reply, 21, keyEnd)] = slice(reply, jsonEnd);
    return value;
  }

  function settle(id: string, reply: string): void {
    const entry = waiting[id];
    if (entry === undefined) return;
    delete waiting[id];
    try {
      entry.resolve(decodeReply(reply));
    } catch (error) {
      entry.reject(error);
    }
  }

  function hostFunction(name: string): unknown {
    return {
      [name](...args: unknown[]): unknown {
        return callHost(name, args);
      },
    }[name];
  }

  // What scripts see

  function writeLog(prefix: string, values: readonly unknown[]): void {
    // Below zero there is no cap; a line is still bounded, so that it can be copied out.
    const room = limits.logBytes < 0 ? 1_000_000 : limits.logBytes;
    let line = prefix;
    for (let i = 0; i < values.length; i++) {
      line += (i > 0 ? " " : "") + inspector.show(values[i], room);
      if (line.length > 2 * room) break;
    }
    host("log", stringify(inspector.clip(line, room)));
  }

  function installGlobals(): void {
    define("log", function log(...values: unknown[]): void {
      writeLog("", values);
    });
    const levels = {
      log: "",
      info: "",
      debug: "",
      table: "",
      dir: "",
      trace: "",
      warn: "warn: ",
      error: "error: ",
    };
    const console = {} as Record<string, unknown>;
    const names = intrinsics.keys(levels);
    for (let i = 0; i < names.length; i++) {
      const level = names[i]!;
      const prefix = (levels as Record<string, string>)[level]!;
      console[level] = {
        [level](...values: unknown[]): void {
          writeLog(prefix, values);
        },
      }[level];
    }
    // Models time and group what they log; there is no time to measure here and no screen to indent.
    const silent = [
      "assert",
      "clear",
      "count",
      "countReset",
      "group",
      "groupEnd",
      "time",
      "timeEnd",
      "timeLog",
    ];
    for (let i = 0; i < silent.length; i++) console[silent[i]!] = function (): void {};
    define("console", console);
    define("answer", function answer(result: unknown): void {
      if (result === undefined) throw typeError("answer(result) needs a result");
      const encoded = encode(result, "the answer", limits.argsBytes);
      if (!encoded.ok) {
        throw encoded.kind === "limit" ? limitError(encoded.message) : typeError(encoded.message);
      }
      if (answered) return;
      const refused = host("answer", encoded.text!);
      if (refused !== "") decodeReply(refused);
      answered = true;
    });
    define("sleep", function sleep(ms: unknown): unknown {
      if (typeof ms !== "number" || !(ms >= 0)) {
        throw typeError("sleep(ms) needs a number of milliseconds, 0 or more");
      }
      // A timer takes 31 bits; a longer wait outlasts every run.
      return callHost("sleep", [ms > 2_147_483_647 ? 2_147_483_647 : ms]);
    });
    // The engine seeds its own generator from the clock; this one is seeded by the host, so that a turn can be run again.
    defineProperty(Math, "random", {
      value: function random(): number {
        return (nextRandom() >>> 5) / 134_217_728 + (nextRandom() >>> 6) / 9_007_199_254_740_992;
      },
      writable: true,
      enumerable: false,
      configurable: true,
    });
  }

  function nextRandom(): number {
    // Asked for at its first use: a realm is set up before its script is known.
    random = ((random ?? +host("seed", "")) + 0x6d2b79f5) | 0;
    let t = intrinsics.imul(random ^ (random >>> 15), 1 | random);
    t = (t + intrinsics.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (t ^ (t >>> 14)) >>> 0;
  }

  function installPack({ functions, source }: GuestPack): void {
    for (let i = 0; i < functions.length; i++) define(functions[i]!, hostFunction(functions[i]!));
    if (source === undefined) return;
    intrinsics.functionFrom("host", source)({
      call: (name: string, args: unknown[]) => callHost(name, args),
      callNow: (name: string, args: unknown[]) => callHost(name, args, true),
      define,
      module: (name: string, value: unknown) => void (modules[name] = value),
      moduleNamed: (name: string) => modules[name],
      then: (value: unknown, map: (value: unknown) => unknown) =>
        asynchronous ? intrinsics.then(value, map) : map(value),
    });
  }

  // One execution

  function run(argsJson: string | undefined): void {
    let fn: unknown;
    try {
      fn = scriptRun();
    } catch (error) {
      return fail(error);
    }
    if (typeof fn !== "function") {
      outcome = toJson({ kind: "syntax", message: "the script defines no function run(args)" }) +
        "\n";
      return;
    }
    asynchronous = intrinsics.isAsyncFunction(fn);
    try {
      const args = argsJson === undefined ? undefined : parse(argsJson);
      const result = apply(fn, undefined, [args]);
      if (typeof result !== "object" || result === null) return finish(result);
      if (intrinsics.brandOf(result) === "promise") {
        intrinsics.then(result, finish, fail);
        return;
      }
      if (typeof (result as { then?: unknown }).then !== "function") return finish(result);
      // A promise of our own, so that any thenable is waited for.
      intrinsics.then(intrinsics.newPromise((resolve) => resolve(result)), finish, fail);
    } catch (error) {
      fail(error);
    }
  }

  function finish(value: unknown): void {
    if (outcome !== undefined) return;
    let encoded: Encoded;
    try {
      encoded = encode(value, "$", limits.argsBytes);
    } catch (error) {
      return fail(error);
    }
    if (!encoded.ok) {
      const message = encoded.kind === "limit"
        ? "what run returned is over a limit: " + encoded.message
        : "run returned a value that JSON cannot hold: " + encoded.message;
      outcome = toJson({ kind: encoded.kind, message }) + "\n";
      return;
    }
    const notes = setPrototypeOf(encoded.notes as string[], null);
    outcome = toJson({ kind: "ok", notes, value: encoded.text !== undefined }) + "\n" +
      (encoded.text ?? "");
  }

  function fail(error: unknown): void {
    if (outcome === undefined) outcome = describe(error) + "\n";
  }

  function describe(error: unknown): string {
    const { text, stack, name } = inspector.describe(error);
    const isLimit = typeof error === "object" && error !== null && limitErrors.has(error);
    return toJson({
      kind: isLimit ? "limit" : "threw",
      message: text,
      stack,
      name,
      bare: error === null || error === "",
    });
  }

  installGlobals();
  return function control(operation, first, second) {
    switch (operation) {
      case "setup": {
        const given = parse(first as string) as RealmSetup;
        limits = given.limits;
        for (let i = 0; i < given.packs.length; i++) installPack(given.packs[i]!);
        return undefined;
      }
      case "run":
        run(first as string | undefined);
        return outcome;
      case "settle":
        return void settle(first as string, second as string);
      case "describe":
        return describe(first);
      case "outcome":
        return outcome;
    }
  };
}
