/**
 * The QuickJS engine: loads the pinned build once and makes instances of it, each with a memory of its own.
 * It knows WASM and nothing of realms or scripts. Two imports suspend the guest instead of the thread (JSPI), and every
 * export that can run guest code is called on a stack of its own. The build's import names are minified: they are found by what their source
 * calls, and `loadEngine` refuses a build in which anything it relies on is missing.
 */
import quickjs from "npm:@jitl/quickjs-singlefile-mjs-release-sync@0.32.0";
import { createStackPool, type Jspi, type StackPool } from "./stack_pool.ts";

/** A pointer into an instance's memory. */
export type Pointer = number;

/** What an instance asks of its owner while guest code runs. */
export interface EngineHooks {
  /** The host function was called with the arguments at `argv`; returns a pointer to the result, at once or later. */
  onCall(argv: Pointer): Pointer | Promise<Pointer>;
  /** The poll: true ends the script now, a promise gives up the thread until it settles. */
  onPoll(): boolean | Promise<boolean>;
  /** The clock that scripts see, in ms since the epoch. */
  onClock(): number;
}

/** The exports that the guest uses. The three that may run guest code return promises. */
export interface EngineExports {
  evaluate(context: Pointer, code: Pointer, length: number, file: Pointer): Promise<Pointer>;
  call(context: Pointer, fn: Pointer, self: Pointer, argc: number, argv: Pointer): Promise<Pointer>;
  runJob(runtime: Pointer, max: number, contextOut: Pointer): Promise<Pointer>;
  isJobPending(runtime: Pointer): number;
  newRuntime(): Pointer;
  newContext(runtime: Pointer): Pointer;
  setMaxStackSize(runtime: Pointer, bytes: number): void;
  enableInterruptHandler(runtime: Pointer): void;
  newFunction(context: Pointer, name: Pointer): Pointer;
  newString(context: Pointer, text: Pointer): Pointer;
  getString(context: Pointer, value: Pointer): Pointer;
  freeString(context: Pointer, text: Pointer): void;
  resolveException(context: Pointer, value: Pointer): Pointer;
  argument(argv: Pointer, index: number): Pointer;
  undefinedValue(): Pointer;
  freeValue(context: Pointer, value: Pointer): void;
  malloc(bytes: number): Pointer;
  free(at: Pointer): void;
}

/** One instance of the engine. Dropped after use; nothing of it is disposed, which aborts the engine after some failures. */
export interface EngineInstance {
  readonly exports: EngineExports;
  readonly memory: WebAssembly.Memory;
  /** Whether the memory's maximum stopped a growth. */
  readonly memoryRanOut: boolean;
  /** Whose hooks are called; set before guest code runs. */
  hooks: EngineHooks;
}

/** The loaded engine. */
export interface Engine {
  /** Makes an instance whose memory never grows past `memoryBytes` (rounded down to pages of 64 KiB, at least 16 MiB). */
  createInstance(memoryBytes: number): Promise<EngineInstance>;
  /** Lets go of what it keeps for later calls. Instances can still be used. */
  close(): void;
}

/** What the engine imports, by its minified names. */
export type Imports = Record<string, unknown>;
/** What the build's own code gives: exports by the engine's names, some of them wrapped. */
export type Glue = Record<string, (...args: number[]) => number>;
/** The build's own code: makes an instance from the bytes that it carries. */
export type GlueLoader = (options: Record<string, unknown>) => Promise<Glue>;

const PAGE_BYTES = 65_536;
/** The build's data and stack need 16 MiB at the start. */
const INITIAL_PAGES = 256;

/** What the source of each import that is replaced calls; the sign by which it is found in the minified build. */
const IMPORT_SIGNS = {
  callFunction: "callFunction",
  poll: "shouldInterrupt",
  freeHostRef: "freeHostRef",
  clock: "Date.now()",
  localTime: "getSeconds",
  grow: ".grow(",
} as const;

type ImportRole = keyof typeof IMPORT_SIGNS;

/** The engine's own names of the exports above. */
const EXPORT_NAMES: Readonly<Record<keyof EngineExports, string>> = {
  evaluate: "_QTS_Eval",
  call: "_QTS_Call",
  runJob: "_QTS_ExecutePendingJob",
  isJobPending: "_QTS_IsJobPending",
  newRuntime: "_QTS_NewRuntime",
  newContext: "_QTS_NewContext",
  setMaxStackSize: "_QTS_RuntimeSetMaxStackSize",
  enableInterruptHandler: "_QTS_RuntimeEnableInterruptHandler",
  newFunction: "_QTS_NewFunction",
  newString: "_QTS_NewString",
  getString: "_QTS_GetString",
  freeString: "_QTS_FreeCString",
  resolveException: "_QTS_ResolveException",
  argument: "_QTS_ArgvGetJSValueConstPointer",
  undefinedValue: "_QTS_GetUndefined",
  freeValue: "_QTS_FreeValuePointer",
  malloc: "_malloc",
  free: "_free",
};

/** The code of the pinned build. */
export async function loadGlue(): Promise<GlueLoader> {
  return await quickjs.importModuleLoader() as unknown as GlueLoader;
}

/**
 * Loads the engine: takes the WASM bytes out of the single-file build, which needs no file permission, and compiles them once. Tests hand in
 * builds in which something is missing.
 *
 * @throws {Error} when the runtime lacks JSPI or the build is not the one that this code was written for; what only an instance shows is
 * said when the first is made.
 */
export async function loadEngine(loadBuild: () => Promise<GlueLoader> = loadGlue): Promise<Engine> {
  const jspi = WebAssembly as unknown as Jspi;
  if (typeof jspi.Suspending !== "function" || typeof jspi.promising !== "function") {
    throw new Error(
      "This runtime has no WebAssembly.Suspending. Use Deno 2.9 or newer (the first releases with it on by default).",
    );
  }
  const load = await loadBuild();
  const compiled = await compileOnce(load);
  const stacks = createStackPool(jspi);
  return {
    createInstance: (bytes) => createInstance({ load, compiled, jspi, stacks }, bytes),
    close: stacks.close,
  };
}

/** The glue decodes its embedded bytes and hands them to `WebAssembly.instantiate`: that is where they are taken. */
async function compileOnce(load: GlueLoader): Promise<WebAssembly.Module> {
  const original = WebAssembly.instantiate;
  let bytes: BufferSource | undefined;
  const stop = new Error("bytes taken");
  WebAssembly.instantiate = ((source: BufferSource) => {
    bytes = source;
    return Promise.reject(stop);
  }) as typeof WebAssembly.instantiate;
  try {
    await load({ print: ignore, printErr: ignore }).catch(ignore);
  } finally {
    WebAssembly.instantiate = original;
  }
  if (bytes === undefined) throw wrongBuild("its WASM bytes were not found");
  return await WebAssembly.compile(bytes);
}

interface Parts {
  readonly load: GlueLoader;
  readonly compiled: WebAssembly.Module;
  readonly jspi: Jspi;
  readonly stacks: StackPool;
}

async function createInstance(parts: Parts, memoryBytes: number): Promise<EngineInstance> {
  const maximum = Math.max(INITIAL_PAGES, Math.floor(memoryBytes / PAGE_BYTES));
  const memory = new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum });
  const state = { memory, memoryRanOut: false, hooks: idleHooks };
  let raw: WebAssembly.Exports | undefined;
  const glue = await parts.load({
    wasmMemory: memory,
    print: ignore,
    printErr: ignore,
    instantiateWasm(
      imports: { a: Imports },
      done: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
    ) {
      replaceImports(imports.a, state, parts.jspi);
      const instance = new WebAssembly.Instance(
        parts.compiled,
        imports as unknown as WebAssembly.Imports,
      );
      raw = instance.exports;
      done(instance, parts.compiled);
      return {};
    },
  });
  const exports = bindExports(glue, Object.values(raw ?? {}), parts.stacks);
  return Object.assign(state, { exports });
}

interface InstanceState {
  readonly memory: WebAssembly.Memory;
  memoryRanOut: boolean;
  hooks: EngineHooks;
}

/** Puts our own functions in the place of the imports that matter. */
function replaceImports(imports: Imports, state: InstanceState, jspi: Jspi): void {
  const found = findImports(imports);
  imports[found.callFunction] = new jspi.Suspending((_context, _self, _argc, argv) =>
    state.hooks.onCall(argv!)
  );
  imports[found.poll] = new jspi.Suspending(() => {
    const stop = state.hooks.onPoll();
    return typeof stop === "boolean" ? Number(stop) : stop.then(Number);
  });
  imports[found.freeHostRef] = ignore;
  imports[found.clock] = () => state.hooks.onClock();
  imports[found.localTime] = (seconds: bigint, at: Pointer) =>
    writeUtcTime(state.memory, Number(seconds), at);
  const grow = imports[found.grow] as (bytes: number) => boolean;
  imports[found.grow] = (bytes: number) => {
    const grown = grow(bytes);
    if (!grown) state.memoryRanOut = true;
    return grown;
  };
}

function findImports(imports: Imports): Record<ImportRole, string> {
  const found: Partial<Record<ImportRole, string>> = {};
  for (const [name, value] of Object.entries(imports)) {
    if (typeof value !== "function") continue;
    const source = String(value);
    for (const [role, sign] of Object.entries(IMPORT_SIGNS) as [ImportRole, string][]) {
      if (!source.includes(sign)) continue;
      if (found[role] !== undefined) throw wrongBuild(`two imports look like ${role}`);
      found[role] = name;
    }
  }
  for (const role of Object.keys(IMPORT_SIGNS) as ImportRole[]) {
    if (found[role] === undefined) throw wrongBuild(`the import ${role} was not found`);
  }
  return found as Record<ImportRole, string>;
}

/** Binds the exports; those that can run guest code are called on a stack of their own, and are raw exports: nothing but WASM may lie on it. */
function bindExports(glue: Glue, raw: readonly unknown[], stacks: StackPool): EngineExports {
  const take = (role: keyof EngineExports): (...args: number[]) => number => {
    const name = EXPORT_NAMES[role];
    const fn = glue[name];
    if (typeof fn !== "function") throw wrongBuild(`the export ${name} was not found`);
    return fn;
  };
  const suspendable = (role: keyof EngineExports): (...args: number[]) => Promise<number> => {
    const fn = take(role);
    if (!raw.includes(fn)) throw wrongBuild(`${EXPORT_NAMES[role]} is not a raw export`);
    return (...args) => stacks.call(fn, args);
  };
  const evaluate = suspendable("evaluate");
  const newContext = take("newContext");
  const newFunction = take("newFunction");
  return {
    // detectModule and flags 0: a global script, so that `const run` is found by the next evaluation.
    evaluate: (context, code, length, file) => evaluate(context, code, length, file, 0, 0),
    call: suspendable("call"),
    runJob: suspendable("runJob"),
    isJobPending: take("isJobPending"),
    newRuntime: take("newRuntime"),
    newContext: (runtime) => newContext(runtime, 0),
    setMaxStackSize: take("setMaxStackSize"),
    enableInterruptHandler: take("enableInterruptHandler"),
    // Two parameters, no constructor, host reference 1 (there is only one host function).
    newFunction: (context, name) => newFunction(context, name, 2, 0, 1),
    newString: take("newString"),
    getString: take("getString"),
    freeString: take("freeString"),
    resolveException: take("resolveException"),
    argument: take("argument"),
    undefinedValue: take("undefinedValue"),
    freeValue: take("freeValue"),
    malloc: take("malloc"),
    free: take("free"),
  };
}

/** Fills the engine's `struct tm` with UTC, so that a script sees no zone of the machine and replays alike everywhere. */
function writeUtcTime(memory: WebAssembly.Memory, seconds: number, at: Pointer): void {
  const date = new Date(seconds * 1000);
  const year = date.getUTCFullYear();
  const dayOfYear = Math.floor((date.getTime() - Date.UTC(year, 0, 1)) / 86_400_000);
  new Int32Array(memory.buffer, at, 10).set([
    date.getUTCSeconds(),
    date.getUTCMinutes(),
    date.getUTCHours(),
    date.getUTCDate(),
    date.getUTCMonth(),
    year - 1900,
    date.getUTCDay(),
    dayOfYear,
    0,
    0,
  ]);
}

const idleHooks: EngineHooks = {
  onCall: () => 0,
  onPoll: () => false,
  onClock: () => 0,
};

function ignore(): void {}

function wrongBuild(what: string): Error {
  return new Error(
    `The QuickJS build is not the one this version was made for: ${what}. Install the pinned package.`,
  );
}
