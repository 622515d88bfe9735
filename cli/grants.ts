/**
 * What a session was allowed: shown, and forgotten.
 */
import type { Grant, GrantStore } from "../contracts/grant.ts";
import { CliError } from "./failure.ts";
import { oneLine } from "./terminal_text.ts";

/** A grant for people. `redact` takes secrets out of it. */
export function grantText({ name, key }: Grant, redact: (text: string) => string): string {
  return key === undefined ? `every call of ${name}` : `${name} ${oneLine(redact(key), 100)}`;
}

/**
 * Forgets the grants of a session whose name or key is `what`, or all where it is left out, and gives their number.
 *
 * @throws {CliError} `input` when there is no such grant.
 */
export async function forgetGrants(
  grants: GrantStore,
  { sessionId, what, hint }: {
    readonly sessionId: string;
    readonly what: string | undefined;
    /** Where the grants are listed. */
    readonly hint: string;
  },
): Promise<number> {
  const count = await grants.revoke(sessionId, what);
  if (count > 0 || what === undefined) return count;
  throw new CliError(
    "input",
    `The session ${oneLine(sessionId, 200)} was never allowed ${oneLine(what, 200)}.`,
    { hint },
  );
}
