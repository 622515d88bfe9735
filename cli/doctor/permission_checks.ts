/**
 * The permissions that the command holds, and what each missing one switches off. Asks the runtime and nobody else; uses none of them.
 */
import type { JsonValue } from "../../contracts/json.ts";
import type { CliOptions } from "../option_table.ts";
import { isGranted } from "../permission.ts";
import { flagFor } from "../permission_flag.ts";
import type { CheckResult } from "./checks.ts";
import { type NeededPermission, neededPermissions } from "./needed_permissions.ts";

/** The kinds, in the order in which they are told. */
const KINDS = ["read", "write", "net", "run", "env", "sys", "ffi", "import"] as const;

type Kind = typeof KINDS[number];

/** How much of a kind is held. The runtime does not list what it granted: what is partly held is told of what agentloop can use. */
interface Holding {
  readonly kind: Kind;
  readonly held: "whole" | "partly" | "none";
  /** What of it is granted, where it is not the whole. */
  readonly granted: readonly string[];
}

/** One line of what is held, then one for each thing that is switched off. */
export function checkPermissions(
  options: Pick<CliOptions, "baseUrl" | "db" | "cwd">,
): readonly CheckResult[] {
  const needed = neededPermissions(options);
  return [heldCheck(KINDS.map((kind) => holdingOf(kind, needed))), ...offChecks(needed)];
}

function holdingOf(kind: Kind, needed: readonly NeededPermission[]): Holding {
  const { state, partial } = Deno.permissions.querySync({ name: kind }) as Deno.PermissionStatus & {
    readonly partial: boolean;
  };
  if (state === "granted" && !partial) return { kind, held: "whole", granted: [] };
  const granted = needed
    .filter(({ permission }) => permission.name === kind && isGranted(permission))
    .map(({ what }) => what);
  if (state === "granted") return { kind, held: "partly", granted: ["all but what is denied"] };
  return { kind, held: granted.length > 0 ? "partly" : "none", granted };
}

function heldCheck(holdings: readonly Holding[]): CheckResult {
  const whole = holdings.filter(({ held }) => held === "whole").map(({ kind }) => kind);
  const partly = holdings.filter(({ held }) => held === "partly")
    .map(({ kind, granted }) => `${kind} (${granted.join(", ")})`);
  const none = holdings.filter(({ held }) => held === "none").map(({ kind }) => kind);
  const parts = [["whole", whole], ["partly", partly], ["none", none]] as const;
  return {
    name: "granted",
    state: "ok",
    detail: parts.filter(([, kinds]) => kinds.length > 0)
      .map(([how, kinds]) => `${how}: ${kinds.join(", ")}`).join("; "),
    data: {
      permissions: Object.fromEntries(
        holdings.map(({ kind, held, granted }): [string, JsonValue] => [
          kind,
          { held, granted: [...granted] },
        ]),
      ),
    },
  };
}

function offChecks(needed: readonly NeededPermission[]): readonly CheckResult[] {
  const missing = needed.filter(({ permission }) => !isGranted(permission));
  const told = new Set<string>();
  const checks = missing.flatMap(({ permission, what, off }): CheckResult[] => {
    // What is off for want of one thing need not be told again for want of another.
    if (off === undefined || told.has(what)) return [];
    told.add(what);
    return [offCheck(off.name, [flagFor(permission)], `${flagFor(permission)}: ${off.means}`)];
  });
  return [...checks, ...fetchCheck(), ...variablesCheck(missing)];
}

function fetchCheck(): readonly CheckResult[] {
  if (isGranted({ name: "net" })) return [];
  return [offCheck(
    "fetch",
    ["--allow-net"],
    "--allow-net for every host: fetch and http reach only those that deno run --allow-net names",
  )];
}

function variablesCheck(missing: readonly NeededPermission[]): readonly CheckResult[] {
  const names = missing.filter(({ permission }) => permission.name === "env")
    .map(({ what }) => what);
  if (names.length === 0) return [];
  const flag = `--allow-env=${names.join(",")}`;
  return [offCheck("variables", [flag], `${flag}: they count as not set`)];
}

function offCheck(name: string, flags: readonly string[], text: string): CheckResult {
  return { name, state: "off", detail: `no ${text}`, data: { missing: [...flags] } };
}
