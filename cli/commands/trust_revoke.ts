/**
 * `trust revoke`: trusts the project's config file no longer.
 */
import type { CommandContext, Outcome } from "../command.ts";
import { forgetTrust } from "../config/trust_record.ts";
import { usageError } from "../failure.ts";
import { oneLine } from "../terminal_text.ts";
import { configOf } from "./trust.ts";

/** Runs `trust revoke`. */
export async function revokeTrust({ options, words, status }: CommandContext): Promise<Outcome> {
  if (words.length > 0) throw usageError("trust revoke takes no arguments; --cwd says where");
  const file = await configOf(options.cwd);
  const path = oneLine(file.path, 300);
  const revoked = forgetTrust(file);
  status.line(revoked ? `${path} is trusted no longer.` : `${path} was not trusted.`);
  return { exitCode: 0, status: "completed", extra: { path: file.path, revoked } };
}
