/**
 * What scripts can call in a run of the command. Loaded beside everything else that a run needs, so that it holds nothing up.
 */
import type { Client } from "../contracts/model.ts";
import type { Capability } from "../contracts/sandbox.ts";
import { defaultCapabilities } from "../sandbox/default_capabilities.ts";
import type { CliOptions } from "./option_table.ts";

/** The capabilities that reach into a network. */
const NETWORK = ["fetch", "http"];

/** The default capabilities, as far as the options leave them. `ai` asks the model of the run. */
export function commandCapabilities(
  options: Pick<CliOptions, "noNetwork" | "model">,
  client: Client,
): Capability[] {
  return defaultCapabilities(client, options.model)
    .filter(({ name }) => !options.noNetwork || !NETWORK.includes(name));
}
