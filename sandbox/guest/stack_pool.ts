/**
 * Stacks for calls that may suspend. V8 makes a stack of the size that the engine needs for each such call and keeps one; with several scripts under
 * way nearly every call paid for a mapping and its first page faults: a twelfth of the guest's computing time with 300 runs at once. Here a call runs on a
 * stack that was used before: each stack is held by a loop of WASM (`stack_loop.wat`) that waits for the next function to call.
 */

/** What of JSPI is used; TypeScript does not know it yet. */
export interface Jspi {
  readonly Suspending: new (fn: (...args: number[]) => unknown) => unknown;
  promising(fn: unknown): (...args: number[]) => Promise<number>;
}

/** Lends stacks to calls. */
export interface StackPool {
  /**
   * Calls a function of WASM, which takes three, five or six numbers of 32 bits and returns one, on a stack that may be suspended. It begins in a
   * microtask.
   *
   * @returns what it returns; rejects with what it throws, and with what a promise throws that it was suspended for.
   */
  call(fn: unknown, args: readonly number[]): Promise<number>;
  /** Ends the stacks that wait: V8 keeps a suspended one for ever. From now on a stack ends with its call. */
  close(): void;
}

/** Stacks that wait at most, each with the memory that its deepest call has touched: more calls are seldom under way at one moment. */
const MAX_WAITING = 32;

/** Calls after which a stack is given back, and with it what a deep call has touched. */
const MAX_CALLS = 256;

/** One stack, and the call that it is lent to. */
interface Stack {
  readonly index: number;
  calls: number;
  args: readonly number[];
  /** Wakes the loop with the number of arguments, or ends it with 0. */
  wake: (count: number) => void;
  resolve: (result: number) => void;
  reject: (error: unknown) => void;
}

/** Makes a pool without a stack in it. */
export function createStackPool({ Suspending, promising }: Jspi): StackPool {
  const functions = new WebAssembly.Table({ element: "anyfunc", initial: MAX_WAITING });
  const stacks: Stack[] = [];
  /** Stacks that wait, the one that was used last at the end. */
  const waiting: Stack[] = [];
  const freeIndexes: number[] = [];
  let closed = false;

  function next(index: number): Promise<number> | number {
    const stack = stacks[index]!;
    const isFull = closed || waiting.length >= MAX_WAITING;
    if (stack.calls > 0 && (isFull || stack.calls >= MAX_CALLS)) return 0;
    waiting.push(stack);
    return new Promise((resolve) => stack.wake = resolve);
  }
  function done(index: number, result: number): void {
    // A table that still named the function would keep its instance, and an instance may hold hundreds of megabytes.
    functions.set(index, null);
    stacks[index]!.resolve(result);
  }
  const { work } = new WebAssembly.Instance(new WebAssembly.Module(stackLoop()), {
    stack: {
      functions,
      next: new Suspending((index) => next(index!)) as WebAssembly.ImportValue,
      argument: (index: number, at: number) => stacks[index]!.args[at],
      done,
    },
  }).exports;
  const start = promising(work);

  /** Makes a stack; it is the last that waits when this returns. */
  function add(): void {
    const index = freeIndexes.pop() ?? stacks.length;
    if (index >= functions.length) functions.grow(MAX_WAITING);
    const stack: Stack = { index, calls: 0, args: [], wake() {}, resolve() {}, reject() {} };
    stacks[index] = stack;
    const end = (): void => void freeIndexes.push(index);
    start(index).then(end, (error) => {
      functions.set(index, null);
      end();
      stack.reject(error);
    });
  }

  return {
    call(fn, args) {
      if (waiting.length === 0) add();
      const stack = waiting.pop()!;
      stack.calls++;
      stack.args = args;
      functions.set(stack.index, fn as CallableFunction);
      return new Promise((resolve, reject) => {
        stack.resolve = resolve;
        stack.reject = reject;
        stack.wake(args.length);
      });
    },
    close() {
      closed = true;
      for (const stack of waiting.splice(0)) stack.wake(0);
    },
  };
}

/** The bytes of `stack_loop.wat`, which `stack_pool_test.ts` holds them to. */
export function stackLoop(): Uint8Array<ArrayBuffer> {
  return Uint8Array.fromBase64(
    "AGFzbQEAAAABLwdgBn9/f39/fwF/YAV/f39/fwF/YAN/f38Bf2ABfwF/YAJ/fwF/YAJ/fwBgAX8AAkAEBXN0YWNrCWZ1bmN0aW9ucwFwAAEFc3RhY2sE" +
      "bmV4dAADBXN0YWNrCGFyZ3VtZW50AAQFc3RhY2sEZG9uZQAFAwIBBgcIAQR3b3JrAAMKkgEBjwEBAX8DQCAAEAAhASABRQRADwsgACABQQZGBH8gAEEAEAEg" +
      "AEEBEAEgAEECEAEgAEEDEAEgAEEEEAEgAEEFEAEgABEAAAUgAUEFRgR/IABBABABIABBARABIABBAhABIABBAxABIABBBBABIAARAQAFIABBABABIABBARAB" +
      "IABBAhABIAARAgALCxACDAALCw==",
  );
}
