/**
 * The search engine that the options name. To name it is to grant the searches, a private network included; where the runtime does not permit to reach it, nothing begins.
 */
import { searchCapability, searchTools, searxngProvider } from "../ext/search/mod.ts";
import { type CallableParts, NOTHING_TO_CALL } from "./callable_parts.ts";
import { messageOf, usageError } from "./failure.ts";
import type { CliOptions } from "./option_table.ts";
import { netPermission, requirePermissions } from "./permission.ts";

/**
 * The search, nothing where no engine is named.
 *
 * @throws {CliError} `usage` for what is no address, `permission` naming the flag.
 */
export function searchParts({ search }: Pick<CliOptions, "search">): CallableParts {
  if (search === undefined) return NOTHING_TO_CALL;
  let provider: ReturnType<typeof searxngProvider>;
  try {
    provider = searxngProvider({ url: search });
  } catch (error) {
    throw usageError(`--search: ${messageOf(error).replace("searxngProvider: url", "it")}`);
  }
  requirePermissions([netPermission(search)], {
    problem: `The search engine at ${provider.target} cannot be asked`,
    otherwise: "leave --search out",
  });
  return { capabilities: [searchCapability({ provider })], tools: searchTools({ provider }) };
}
