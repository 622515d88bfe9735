/**
 * The realm's own code. The functions of the realm_… files are written and checked as TypeScript and sent to QuickJS as their own source text, so each
 * refers to nothing but its parameters and the globals of a fresh realm.
 */
import type { Pointer } from "./engine.ts";
import { createBridge } from "./realm_bridge.ts";
import { createEncoder } from "./realm_encoder.ts";
import { installGuards } from "./realm_guards.ts";
import { createInspector } from "./realm_inspector.ts";
import { installIntl } from "./realm_intl.ts";
import { captureIntrinsics } from "./realm_intrinsics.ts";

/** A context that code is put into. Values belong to whoever got them. */
export interface CodeLoader {
  /** The value of an expression. */
  evaluate(source: string): Promise<Pointer>;
  /** What a function returns; the arguments stay the caller's. */
  call(fn: Pointer, ...args: Pointer[]): Promise<Pointer>;
  free(value: Pointer): void;
}

/** Makes the control function out of its parts. Whether there is a `run` is only known once a script was evaluated. */
const LINK = `(function (host, createBridge, intrinsics, encode, inspector) {
  const scriptRun = () => typeof run === "function" ? run : undefined;
  return createBridge(host, { intrinsics, encode, inspector, scriptRun });
})`;

/**
 * Puts the realm's own code into a context. One function after the other, the longest first: what the engine needs to read one is free for the next, and
 * the memory that every realm starts from is three fifths of what it is when all are read at once.
 *
 * @param host the host function
 * @returns the control function
 */
export async function loadOwnCode(loader: CodeLoader, host: Pointer): Promise<Pointer> {
  const bridge = await loader.evaluate(`(${createBridge})`);
  const make = async (source: unknown, ...args: Pointer[]): Promise<Pointer> => {
    const fn = await loader.evaluate(`(${source})`);
    const made = await loader.call(fn, ...args);
    loader.free(fn);
    return made;
  };
  const intrinsics = await make(captureIntrinsics);
  const encode = await make(createEncoder, intrinsics);
  const inspector = await make(createInspector, intrinsics);
  await make(installGuards, intrinsics);
  await make(installIntl, host, intrinsics);
  const control = await make(LINK, host, bridge, intrinsics, encode, inspector);
  for (const value of [bridge, intrinsics, encode, inspector]) loader.free(value);
  return control;
}
