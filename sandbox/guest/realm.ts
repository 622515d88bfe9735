/**
 * One realm: an engine instance with a runtime, a context and the realm's own code in it, made before a script is known.
 * It moves text in and out and calls the realm's control function; what an execution means is the business of execution.ts.
 */
import type { Engine, EngineHooks, EngineInstance, Pointer } from "./engine.ts";
import { SCRIPT_NAME } from "./failure.ts";
import type { ControlOperation } from "./realm_bridge.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What an evaluation came to: a value that stays in the realm, or what was thrown. */
export interface Evaluated {
  readonly value: Pointer;
  readonly threw: boolean;
}

/** A realm that has run no script yet, or one. Never used for a second one. */
export interface Realm {
  /** Whether the memory's maximum stopped a growth. */
  readonly memoryRanOut: boolean;
  /** Called while guest code runs; set before the first script. */
  setHooks(hooks: EngineHooks): void;
  /** Runs a script in the realm's global scope. */
  evaluate(source: string): Promise<Evaluated>;
  /** Calls the realm's control function; a pointer is a value of the realm, a string becomes one. */
  control(operation: ControlOperation, ...args: (string | Pointer)[]): Promise<string | undefined>;
  /** Runs one pending job; false when there is none. */
  runJob(): Promise<boolean>;
  /** The two texts that the realm's host function was called with. */
  readCall(argv: Pointer): { operation: string; text: string };
  /** A new string in the realm. */
  newString(text: string): Pointer;
}

/** What a realm is made with. */
export interface RealmOptions {
  readonly memoryBytes: number;
  readonly stackBytes: number;
  /** From `realmSource()`. */
  readonly source: string;
}

/** Makes a realm. */
export async function createRealm(engine: Engine, options: RealmOptions): Promise<Realm> {
  const instance = await engine.createInstance(options.memoryBytes);
  const { exports } = instance;
  const runtime = exports.newRuntime();
  exports.setMaxStackSize(runtime, options.stackBytes);
  exports.enableInterruptHandler(runtime);
  const context = exports.newContext(runtime);
  const text = createText(instance);
  const fileName = text.write(SCRIPT_NAME).at;
  const ownName = text.write("agentloop").at;
  const slots = exports.malloc(4 * 4);
  const noValue = exports.undefinedValue();

  async function call(fn: Pointer, args: readonly Pointer[]): Promise<Evaluated> {
    new Uint32Array(instance.memory.buffer, slots, args.length).set(args);
    return resolve(await exports.call(context, fn, noValue, args.length, slots));
  }
  function resolve(value: Pointer): Evaluated {
    const thrown = exports.resolveException(context, value);
    return thrown === 0 ? { value, threw: false } : { value: thrown, threw: true };
  }
  function readValue(value: Pointer): string {
    const chars = exports.getString(context, value);
    const read = text.read(chars);
    exports.freeString(context, chars);
    return read;
  }
  function newString(content: string): Pointer {
    const { at } = text.write(content);
    const value = exports.newString(context, at);
    exports.free(at);
    return value;
  }
  async function run(source: string, file: Pointer): Promise<Evaluated> {
    const { at, length } = text.write(source);
    const evaluated = resolve(await exports.evaluate(context, at, length, file));
    exports.free(at);
    return evaluated;
  }

  const maker = await run(options.source, ownName);
  if (maker.threw) throw new Error(`The realm's own code failed: ${readValue(maker.value)}`);
  const made = await call(maker.value, [exports.newFunction(context, text.write("host").at)]);
  if (made.threw) throw new Error(`The realm's own code failed: ${readValue(made.value)}`);
  const controlFunction = made.value;

  return {
    get memoryRanOut() {
      return instance.memoryRanOut;
    },
    setHooks(hooks) {
      instance.hooks = hooks;
    },
    evaluate: (source) => run(source, fileName),
    async control(operation, ...args) {
      const pointers = [operation, ...args].map((arg) =>
        typeof arg === "number" ? arg : newString(arg)
      );
      const { value, threw } = await call(controlFunction, pointers);
      if (threw) throw new RealmError(readValue(value));
      if (isUndefined(instance, value)) return undefined;
      return readValue(value);
    },
    async runJob() {
      if (exports.isJobPending(runtime) === 0) return false;
      await exports.runJob(runtime, 1, slots);
      return true;
    },
    readCall: (argv) => ({
      operation: readValue(exports.argument(argv, 0)),
      text: readValue(exports.argument(argv, 1)),
    }),
    newString,
  };
}

/** The realm's own code threw: an engine limit was hit inside it. */
export class RealmError extends Error {}

/** The tag of `undefined` in a JSValue of the 32-bit build: NaN-boxed, the tag in the upper half. */
const UNDEFINED_TAG = 3;

function isUndefined(instance: EngineInstance, value: Pointer): boolean {
  return new Uint32Array(instance.memory.buffer, value, 2)[1] === UNDEFINED_TAG;
}

interface TextAccess {
  write(text: string): { at: Pointer; length: number };
  read(at: Pointer): string;
}

function createText(instance: EngineInstance): TextAccess {
  const { exports, memory } = instance;
  return {
    write(text) {
      const bytes = encode(text);
      const at = exports.malloc(bytes.length + 1);
      if (at === 0) throw new RealmError("out of memory");
      const target = new Uint8Array(memory.buffer, at, bytes.length + 1);
      target.set(bytes);
      target[bytes.length] = 0;
      return { at, length: bytes.length };
    },
    read(at) {
      if (at === 0) throw new RealmError("out of memory");
      const bytes = new Uint8Array(memory.buffer);
      return decoder.decode(bytes.subarray(at, bytes.indexOf(0, at)));
    },
  };
}

/** UTF-8, in which a lone surrogate keeps the three bytes that the engine reads back as that surrogate. */
function encode(text: string): Uint8Array {
  if (text.isWellFormed()) return encoder.encode(text);
  const parts: Uint8Array[] = [];
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0xd800 || code > 0xdfff) continue;
    if (code < 0xdc00 && isLowSurrogate(text.charCodeAt(i + 1))) {
      i++;
      continue;
    }
    parts.push(
      encoder.encode(text.slice(from, i)),
      Uint8Array.of(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)),
    );
    from = i + 1;
  }
  parts.push(encoder.encode(text.slice(from)));
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
