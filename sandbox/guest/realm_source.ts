/**
 * The text of the realm's own code. The functions of the realm_… files are written and checked as TypeScript and sent to QuickJS as
 * their own source text, so each refers to nothing but its parameters and the globals of a fresh realm.
 */
import { createBridge } from "./realm_bridge.ts";
import { createEncoder } from "./realm_encoder.ts";
import { installGuards } from "./realm_guards.ts";
import { createInspector } from "./realm_inspector.ts";
import { installIntl } from "./realm_intl.ts";
import { captureIntrinsics } from "./realm_intrinsics.ts";

/** Makes the text: an expression whose value takes the host function and returns the control function. */
export function realmSource(): string {
  return `(function (host) {
  const intrinsics = (${captureIntrinsics})();
  const encode = (${createEncoder})(intrinsics);
  const inspector = (${createInspector})(intrinsics);
  (${installGuards})(intrinsics);
  (${installIntl})(host, intrinsics);
  const scriptRun = () => typeof run === "function" ? run : undefined;
  return (${createBridge})(host, { intrinsics, encode, inspector, scriptRun });
})`;
}
