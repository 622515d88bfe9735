/**
 * One realm: an engine instance with a runtime, a context and the realm's own code in it, made before a script is known (by realm_factory.ts).
 * It moves text in and out and calls the realm's control function; what an execution means is the business of execution.ts.
 */
import type { EngineHooks, EngineInstance, Pointer } from "./engine.ts";
import { SCRIPT_NAME } from "./failure.ts";
import { layTemplate, type MemoryTemplate } from "./memory_template.ts";
import type { ControlOperation } from "./realm_bridge.ts";
import { loadOwnCode } from "./realm_source.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What an evaluation came to: a value that stays in the realm, or what was thrown. */
export interface Evaluated {
  readonly value: Pointer;
  readonly threw: boolean;
}

/** A text out of a realm, with the bytes that it takes as UTF-8. */
export interface MeasuredText {
  readonly text: string;
  readonly bytes: number;
}

/** A realm that has run no script yet, or one. */
export interface Realm {
  /** Whether the memory's maximum stopped a growth. */
  readonly memoryRanOut: boolean;
  /** Called while guest code runs; set before the first script. */
  setHooks(hooks: EngineHooks): void;
  /** Runs a script in the realm's global scope. */
  evaluate(source: string): Promise<Evaluated>;
  /** Calls the realm's control function; a pointer is a value of the realm, a string becomes one. */
  control(
    operation: ControlOperation,
    ...args: (string | Pointer)[]
  ): Promise<MeasuredText | undefined>;
  /** Whether a job is pending. */
  hasJob(): boolean;
  /** Runs one pending job. */
  runJob(): Promise<void>;
  /** The two texts that the realm's host function was called with. */
  readCall(argv: Pointer): { operation: string } & MeasuredText;
  /** A new string in the realm. */
  newString(text: string): Pointer;
  /**
   * Makes a fresh realm of this one. Only after an end at which no guest code was left on a stack; false when it cannot be done:
   * the realm is then dropped.
   */
  renew(): boolean;
}

/** The values that a realm's owner works with; the same in every realm that starts from one template. */
export interface Anchors {
  readonly runtime: Pointer;
  readonly context: Pointer;
  readonly control: Pointer;
  readonly fileName: Pointer;
  readonly slots: Pointer;
}

/** Arguments of one call into the realm: five for its own code, and an operation with two values for the control function. */
const SLOTS = 5;

/** Puts a runtime, a context and the realm's own code into a new instance. */
export async function createAnchors(
  instance: EngineInstance,
  { stackBytes }: { readonly stackBytes: number },
): Promise<Anchors> {
  const { exports } = instance;
  const text = createText(instance);
  const runtime = exports.newRuntime();
  exports.setMaxStackSize(runtime, stackBytes);
  exports.enableInterruptHandler(runtime);
  const context = exports.newContext(runtime);
  const slots = exports.malloc(4 * SLOTS);
  const host = exports.newFunction(context, text.write("host").at);
  const file = text.write("agentloop").at;
  const checked = (value: Pointer): Pointer => {
    const thrown = exports.resolveException(context, value);
    if (thrown === 0) return value;
    throw new Error(
      `The realm's own code failed: ${text.read(exports.getString(context, thrown)).text}`,
    );
  };
  const control = await loadOwnCode({
    async evaluate(source) {
      const { at, length } = text.write(source);
      const value = await exports.evaluate(context, at, length, file);
      exports.free(at);
      return checked(value);
    },
    async call(fn, ...args) {
      new Uint32Array(instance.memory.buffer, slots, SLOTS).set(args);
      const noValue = exports.undefinedValue();
      return checked(await exports.call(context, fn, noValue, args.length, slots));
    },
    free: (value) => exports.freeValue(context, value),
  }, host);
  return { runtime, context, control, fileName: text.write(SCRIPT_NAME).at, slots };
}

/** A realm in an instance that has these values in it; with a template it can be renewed. */
export function wrapRealm(
  instance: EngineInstance,
  anchors: Anchors,
  template?: MemoryTemplate,
): Realm {
  const { exports } = instance;
  const { runtime, context, slots } = anchors;
  const text = createText(instance);

  function resolve(value: Pointer): Evaluated {
    const thrown = exports.resolveException(context, value);
    return thrown === 0 ? { value, threw: false } : { value: thrown, threw: true };
  }
  function readValue(value: Pointer): MeasuredText {
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

  return {
    get memoryRanOut() {
      return instance.memoryRanOut;
    },
    setHooks(hooks) {
      instance.hooks = hooks;
    },
    async evaluate(source) {
      const { at, length } = text.write(source);
      const evaluated = resolve(await exports.evaluate(context, at, length, anchors.fileName));
      exports.free(at);
      return evaluated;
    },
    async control(operation, ...args) {
      const own: Pointer[] = [];
      const pointers = [operation, ...args].map((arg) => {
        if (typeof arg === "number") return arg;
        own.push(newString(arg));
        return own.at(-1)!;
      });
      new Uint32Array(instance.memory.buffer, slots, pointers.length).set(pointers);
      const noValue = exports.undefinedValue();
      const { value, threw } = resolve(
        await exports.call(context, anchors.control, noValue, pointers.length, slots),
      );
      if (threw) throw new RealmError(readValue(value).text);
      const answer = isUndefined(instance, value) ? undefined : readValue(value);
      // The replies of a script's calls are among them: kept, all of them together would count against its memory.
      for (const each of [...own, value]) exports.freeValue(context, each);
      return answer;
    },
    hasJob: () => exports.isJobPending(runtime) !== 0,
    async runJob() {
      await exports.runJob(runtime, 1, slots);
    },
    readCall: (argv) => ({
      operation: readValue(exports.argument(argv, 0)).text,
      ...readValue(exports.argument(argv, 1)),
    }),
    newString,
    renew: () => template !== undefined && layTemplate(instance, template),
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
  read(at: Pointer): MeasuredText;
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
      const end = bytes.indexOf(0, at);
      return { text: decoder.decode(bytes.subarray(at, end)), bytes: end - at };
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
