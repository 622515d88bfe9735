/**
 * What an option is called in a config file. Pure.
 */
import type { OptionSpec } from "../option_table.ts";

/** The key of an option: its name in camelCase. `timeout`, and not the field, which counts in ms where the file does not. */
export function configKey({ name }: Pick<OptionSpec, "name">): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
