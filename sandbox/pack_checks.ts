/**
 * Checks of the packs that capabilities build. Types do not see a misspelt field in what `build` returns, and a function whose `sideEffects` nobody reads would be
 * called without anybody being asked.
 */
import { refuseUnknown } from "../contracts/known_names.ts";
import type { HostFunction, Pack } from "../contracts/sandbox.ts";

const OF_A_PACK: Readonly<Record<keyof Pack, true>> = {
  name: true,
  prompt: true,
  functions: true,
  modules: true,
  documents: true,
  secrets: true,
  guestSource: true,
};

const OF_A_FUNCTION: Readonly<Record<keyof HostFunction, true>> = {
  name: true,
  execute: true,
  sideEffect: true,
  target: true,
  preview: true,
  timeoutMs: true,
};

/**
 * Demands that what a capability built is a list.
 *
 * @throws {TypeError} when it is none.
 */
export function checkPackList(built: readonly Pack[]): readonly Pack[] {
  if (Array.isArray(built)) return built;
  const got = typeof built === "object" && built !== null ? "a single one" : String(built);
  throw new TypeError(`build must give a list of packs, got ${got}`);
}

/**
 * Demands that a pack and its functions are what they should be.
 *
 * @throws {TypeError} naming the pack, the function and what is wrong.
 */
export function checkPack(pack: Pack): void {
  const who = `The pack ${JSON.stringify(pack.name)}`;
  refuseUnknown(who, pack, OF_A_PACK);
  if (typeof pack.prompt !== "string") throw new TypeError(`${who} must have a prompt, a text.`);
  if (!Array.isArray(pack.functions)) throw new TypeError(`${who} must have a list of functions.`);
  for (const fn of pack.functions) {
    const which = `The function ${JSON.stringify(fn.name)} of the pack "${pack.name}"`;
    refuseUnknown(which, fn, OF_A_FUNCTION);
    if (typeof fn.execute !== "function") {
      throw new TypeError(`${which} must have a function execute.`);
    }
  }
}
