/**
 * Runs inside the guest realm, before any script: takes hold of the intrinsics that the bridge, the encoder and the log use,
 * so that nothing a script overrides can change them. The function is sent to the realm as text, so it refers to nothing outside.
 *
 * Code in the realm_… files keeps to what cannot be hijacked: no spread, no array destructuring, no `for…of`, no method
 * of a value that a script may have touched, and arrays of its own lose their prototype before they are written to.
 */

/** What the realm's own code works with after a script may have changed the globals. */
export interface Intrinsics {
  apply(fn: unknown, self: unknown, args: readonly unknown[]): unknown;
  readonly isArray: (value: unknown) => value is unknown[];
  readonly keys: (value: object) => string[];
  readonly getPrototypeOf: (value: object) => object | null;
  readonly setPrototypeOf: <T extends object>(value: T, proto: object | null) => T;
  readonly defineProperty: (
    on: object,
    key: PropertyKey,
    descriptor: PropertyDescriptor,
  ) => unknown;
  readonly parse: (text: string) => unknown;
  readonly stringify: (value: unknown) => string;
  readonly slice: (text: string, from: number, to?: number) => string;
  readonly toText: (value: unknown) => string;
  readonly isFinite: (value: number) => boolean;
  readonly is: (a: unknown, b: unknown) => boolean;
  readonly symbolText: (value: symbol) => string;
  readonly functionName: (value: unknown) => string;
  /** What kind of built-in object this is, told by its internal slots and not by what it says of itself. */
  readonly brandOf: (value: object) => Brand;
  readonly dateText: (value: object) => string | null;
  readonly newSet: () => {
    has(value: object): boolean;
    add(value: object): void;
    delete(value: object): void;
  };
  readonly then: (
    promise: unknown,
    onValue: (value: unknown) => unknown,
    onError?: (error: unknown) => unknown,
  ) => unknown;
  readonly newPromise: (
    start: (resolve: (value: unknown) => void, reject: (error: unknown) => void) => void,
  ) => Promise<unknown>;
  readonly isAsyncFunction: (value: unknown) => boolean;
  readonly functionFrom: (parameter: string, body: string) => (argument: unknown) => unknown;
  readonly typeError: (message: string) => Error;
  readonly rangeError: (message: string) => Error;
  readonly errorNamed: (name: string, message: string) => Error;
  readonly objectPrototype: object;
  readonly abs: (value: number) => number;
  readonly floor: (value: number) => number;
  readonly imul: (a: number, b: number) => number;
}

/** Kinds of objects that are not plain data. */
export type Brand =
  | "array"
  | "plain"
  | "promise"
  | "map"
  | "set"
  | "date"
  | "regexp"
  | "error"
  | "bytes"
  | "wrapper"
  | "boxed"
  | "weak"
  | "instance";

/** Captures the intrinsics. Also takes away what a guest must not have. */
export function captureIntrinsics(): Intrinsics {
  const { apply, getPrototypeOf, setPrototypeOf, defineProperty } = Reflect;
  const globalObject = globalThis as unknown as Record<string, unknown>;
  const { WeakSet, Promise, Function, TypeError, RangeError, Error, String, Object } = globalThis;
  const ErrorPrototype = Error.prototype;
  const getterOf = (proto: object, key: PropertyKey): unknown =>
    Object.getOwnPropertyDescriptor(proto, key)?.get;
  const mapSize = getterOf(Map.prototype, "size");
  const setSize = getterOf(Set.prototype, "size");
  const typedArrayPrototype = getPrototypeOf(Uint8Array.prototype)!;
  const typedArrayLength = getterOf(typedArrayPrototype, "length");
  const bufferLength = getterOf(ArrayBuffer.prototype, "byteLength");
  const viewLength = getterOf(DataView.prototype, "byteLength");
  const { getTime, toISOString } = Date.prototype;
  const promiseThen = Promise.prototype.then;
  const weakMapHas = WeakMap.prototype.has;
  const weakSetHas = WeakSet.prototype.has;
  const weakSetAdd = WeakSet.prototype.add;
  const weakSetDelete = WeakSet.prototype.delete;
  const symbolToString = Symbol.prototype.toString;
  const numberValueOf = Number.prototype.valueOf;
  const stringValueOf = String.prototype.valueOf;
  const booleanValueOf = Boolean.prototype.valueOf;
  const bigintValueOf = BigInt.prototype.valueOf;
  const symbolValueOf = Symbol.prototype.valueOf;
  const sliceText = String.prototype.slice;
  const asyncPrototypes = [
    getPrototypeOf(async () => {})!,
    getPrototypeOf(async function* () {})!,
  ];
  const objectPrototype = Object.prototype;
  const isArray = globalThis.Array.isArray;
  const floor = Math.floor;
  const isFinite = Number.isFinite;
  const { is, keys } = Object;
  const { parse, stringify } = JSON;
  const { abs, imul } = Math;

  const answers = (fn: unknown, self: unknown, args: readonly unknown[] = []): boolean => {
    if (typeof fn !== "function") return false;
    try {
      apply(fn as never, self as never, args as never);
      return true;
    } catch {
      return false;
    }
  };
  const inherits = (value: object, proto: object): boolean => {
    let at: object | null = getPrototypeOf(value);
    for (let depth = 0; at !== null && depth < 100; depth++) {
      if (at === proto) return true;
      at = getPrototypeOf(at);
    }
    return false;
  };
  const brandOf = (value: object): Brand => {
    if (isArray(value)) return "array";
    const proto = getPrototypeOf(value);
    if (proto === objectPrototype || proto === null) return "plain";
    if (inherits(value, Promise.prototype)) return "promise";
    if (answers(mapSize, value)) return "map";
    if (answers(setSize, value)) return "set";
    if (answers(getTime, value)) return "date";
    if (inherits(value, ErrorPrototype)) return "error";
    if (answers(typedArrayLength, value) && inherits(value, typedArrayPrototype)) return "bytes";
    if (answers(bufferLength, value) || answers(viewLength, value)) return "bytes";
    if (inherits(value, RegExp.prototype)) return "regexp";
    if (
      answers(numberValueOf, value) || answers(stringValueOf, value) ||
      answers(booleanValueOf, value)
    ) {
      return "wrapper";
    }
    if (answers(bigintValueOf, value) || answers(symbolValueOf, value)) return "boxed";
    if (answers(weakMapHas, value, [value]) || answers(weakSetHas, value, [value])) return "weak";
    return "instance";
  };
  for (const name of ["SharedArrayBuffer", "WeakRef", "FinalizationRegistry", "Atomics"]) {
    delete globalObject[name];
  }
  return {
    apply: (fn, self, args) => apply(fn as never, self as never, args as never),
    isArray: (value): value is unknown[] => isArray(value),
    keys,
    getPrototypeOf,
    setPrototypeOf: (value, proto) => (setPrototypeOf(value, proto), value),
    defineProperty,
    parse,
    stringify: (value) => stringify(value) as string,
    slice: (text, from, to) => apply(sliceText, text, [from, to]) as string,
    toText: String,
    isFinite,
    is,
    symbolText: (value) => apply(symbolToString, value, []) as string,
    functionName: (value) => {
      try {
        const name = (value as { name?: unknown }).name;
        return typeof name === "string" ? apply(sliceText, name, [0, 60]) as string : "";
      } catch {
        return "";
      }
    },
    brandOf,
    dateText: (value) => {
      const time = apply(getTime, value as Date, []) as number;
      return isFinite(time) ? apply(toISOString, value as Date, []) as string : null;
    },
    newSet: () => {
      const set = new WeakSet();
      return {
        has: (value) => apply(weakSetHas, set, [value]) as boolean,
        add: (value) => void apply(weakSetAdd, set, [value]),
        delete: (value) => void apply(weakSetDelete, set, [value]),
      };
    },
    then: (promise, onValue, onError) =>
      apply(promiseThen, promise as never, [onValue, onError] as never),
    newPromise: (start) => new Promise(start),
    isAsyncFunction: (value) =>
      typeof value === "function" &&
      (getPrototypeOf(value) === asyncPrototypes[0] ||
        getPrototypeOf(value) === asyncPrototypes[1]),
    functionFrom: (parameter, body) =>
      new Function(parameter, body) as (argument: unknown) => unknown,
    typeError: (message) => new TypeError(message),
    rangeError: (message) => new RangeError(message),
    errorNamed: (name, message) => {
      const error = new Error(message);
      defineProperty(error, "name", { value: name, configurable: true, writable: true });
      return error;
    },
    objectPrototype,
    abs,
    floor,
    imul,
  };
}
