/**
 * The tools of `--tools FILE`: a module of the user's own, which runs with all that the command may do. It is named on the command line and nowhere else: what a
 * checkout brings along is never run by itself.
 */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Tool } from "../contracts/tool.ts";
import { defineTool, type ToolDefinition, toolPack, ToolRegistry } from "../tools/mod.ts";
import { CliError, messageOf, usageError } from "./failure.ts";
import type { CliOptions } from "./option_table.ts";
import { requirePermissions } from "./permission.ts";
import { oneLine } from "./terminal_text.ts";
import { reasonOf } from "./text_input.ts";

/** Names of the tools that `--memory` brings. */
const MEMORY_NAMES: readonly string[] = ["remember", "recall", "forget"];

/**
 * Loads the tools that the options name; none where they name no file.
 *
 * @param signal ends the wait for a module that does not end by itself
 * @throws {CliError} `usage` for a file that cannot be loaded, or has no tools that can be used.
 */
export async function readOwnTools(
  { tools: file, memory }: Pick<CliOptions, "tools" | "memory">,
  signal: AbortSignal,
): Promise<readonly Tool[]> {
  if (file === undefined) return [];
  const fail = (reason: string) =>
    usageError(`--tools ${oneLine(file, 200)}: ${oneLine(reason, 500)}`);
  const entries = listOf(await load(file, { fail, signal }));
  if (entries === undefined || entries.length === 0) {
    throw fail("it has no list of tools; export one as default, or as tools");
  }
  try {
    const tools = entries.map(toolOf);
    new ToolRegistry(tools);
    toolPack(tools);
    const taken = memory && tools.find(({ name }) => MEMORY_NAMES.includes(name));
    if (taken) throw new TypeError(`${taken.name} is a tool of --memory`);
    return tools;
  } catch (error) {
    throw fail(messageOf(error));
  }
}

async function load(
  file: string,
  { fail, signal }: { readonly fail: (reason: string) => CliError; readonly signal: AbortSignal },
): Promise<Readonly<Record<string, unknown>>> {
  const path = resolve(file);
  requirePermissions([{ name: "read", path }], {
    problem: `--tools ${oneLine(file, 200)} cannot be used`,
  });
  try {
    if (!(await Deno.stat(path)).isFile) throw fail("it is no file");
  } catch (error) {
    throw error instanceof CliError ? error : fail(reasonOf(error));
  }
  const ended = Promise.withResolvers<never>();
  const stop = () => ended.reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  try {
    if (signal.aborted) stop();
    return await Promise.race([import(pathToFileURL(path).href), ended.promise]);
  } catch (error) {
    signal.throwIfAborted();
    throw fail(`it cannot be loaded: ${firstLine(messageOf(error))}`);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** The runtime adds hints in colour. */
function firstLine(message: string): string {
  // deno-lint-ignore no-control-regex -- it is what is taken out
  return (message.split("\n")[0] ?? "").replace(/\u001b\[[0-9;]*m/g, "");
}

function listOf(module: Readonly<Record<string, unknown>>): readonly unknown[] | undefined {
  return [module.default, module.tools].find(Array.isArray);
}

/** A tool as `defineTool` made it, of this version or another, or what is to be given to it. */
function toolOf(entry: unknown, at: number): Tool {
  const isObject = typeof entry === "object" && entry !== null;
  if (!isObject) throw new TypeError(`entry ${at} of its list is no tool`);
  if (typeof Reflect.get(entry, "check") !== "function") return defineTool(entry as ToolDefinition);
  const tool = entry as Tool;
  const { name, description, execute } = tool;
  // Checked again, since it may be of another version. Schema and check are as they were made: a library's may say more than is held to here.
  defineTool({ name, description, parameters: { type: "object" }, execute });
  if (tool.parameters?.type !== "object") {
    throw new TypeError(`${name}: parameters must be a schema whose type is "object"`);
  }
  return tool;
}
