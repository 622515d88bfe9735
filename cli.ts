#!/usr/bin/env -S deno run -A
/**
 * The `agentloop` command: run this file with `deno run -A`. It only hands the arguments to `cli/main.ts`.
 *
 * @module
 */
import { main } from "./cli/main.ts";

if (import.meta.main) Deno.exit(await main(Deno.args));
