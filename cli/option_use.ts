/**
 * What each option is apart from the command line: whether a config file may set it and what that takes, what it looks like there, and what completes its value.
 * Whoever adds an option decides here: a file comes with a checkout and is as trustworthy as the checkout.
 */
import {
  DEFAULT_HISTORY_WINDOW,
  DEFAULT_MAX_ITERATIONS,
  DEFAULT_RUN_TIMEOUT_MS,
} from "../contracts/loop.ts";
import { OUTCOME_WORDS } from "./call_filter.ts";
import type { CliOptions } from "./option_table.ts";
import type { OptionValue } from "./option_value.ts";
import { isLoopback } from "./serve/address.ts";

/** Whether a config file may set an option. */
export type FileUse =
  /** Any file may: it only narrows what happens, or changes nothing but what is printed. */
  | { readonly inFile: "harmless" }
  /** Only a file that a person trusts; any file where the value is one of those that do no harm. */
  | { readonly inFile: "trusted"; readonly unless?: (value: OptionValue) => boolean }
  /** No file may. */
  | { readonly inFile: "refused"; readonly why: string };

/** What an option is apart from the command line. */
export type OptionUse = FileUse & {
  /** Its value in a config file that is written as an example: its default, or one that people use. Absent: it is left out there. */
  readonly sample?: boolean | number | string | readonly string[];
  /** What completes its value: a file, a folder, text or the name of a file behind an `@`, one of these words. Absent: nothing. */
  readonly completes?: "file" | "folder" | "@file" | readonly string[];
};

const A_WORD = "a file cannot answer what a person is asked";
const ONE_INVOCATION = "it belongs to one invocation, not to a project";

/** Every option. That none is left out is checked by the type. */
export const OPTION_USES: Readonly<Record<keyof CliOptions, OptionUse>> = {
  session: refused(ONE_INVOCATION),
  continue: refused(ONE_INVOCATION),
  ephemeral: trusted({ sample: false }),
  db: trusted({ sample: ".agentloop/sessions.db", completes: "file" }),
  model: trusted({ sample: "gpt-5-mini" }),
  baseUrl: trusted({ sample: "http://127.0.0.1:11434/v1" }),
  maxSteps: trusted({ sample: 20, unless: atMost(DEFAULT_MAX_ITERATIONS) }),
  maxTokens: harmless({ sample: 200_000 }),
  maxCost: harmless({ sample: 0.5 }),
  // A price of nothing would take the limit on costs away.
  pricePrompt: trusted({ sample: 0.25 }),
  priceCompletion: trusted({ sample: 2 }),
  timeoutMs: trusted({ sample: "5m", unless: atMost(DEFAULT_RUN_TIMEOUT_MS) }),
  contextWindow: harmless({ sample: 32_768 }),
  historyWindow: trusted({ sample: 80, unless: atMost(DEFAULT_HISTORY_WINDOW) }),
  noCompact: harmless({ sample: false }),
  instruction: trusted({ completes: "@file" }),
  context: trusted({ sample: "@docs/conventions.md", completes: "@file" }),
  system: trusted({ sample: "You are careful and brief.", completes: "@file" }),
  assistant: trusted({ sample: false }),
  timezone: harmless({ sample: "America/Sao_Paulo" }),
  cwd: trusted({ completes: "folder" }),
  approve: trusted({
    sample: "prompt",
    unless: (value) => value === "deny" || value === "prompt" || value === "wait",
    completes: ["prompt", "stdio", "auto", "deny", "wait"],
  }),
  allow: refused(A_WORD),
  deny: refused(A_WORD),
  args: refused(A_WORD, "@file"),
  call: refused(A_WORD),
  noProject: harmless({ sample: false }),
  skillsDir: trusted({ sample: [".agentloop/skills"] }),
  noSkills: harmless({ sample: false }),
  protocol: harmless({ sample: "code", completes: ["code", "code-tool", "auto", "tools"] }),
  tools: refused(
    "what it names is run with all that the command may do, and changes with the checkout",
    "file",
  ),
  memory: trusted({ sample: false }),
  allowExec: trusted({ sample: ["git", "make"] }),
  noExec: harmless({ sample: false }),
  dangerouslyAllowShell: trusted(),
  allowNet: trusted({ sample: ["example.com", "*.example.org"] }),
  allowPrivateNet: trusted({ sample: ["127.0.0.1:8080"] }),
  allowTools: trusted({ sample: ["writeFile", "editFile"] }),
  search: trusted({ sample: "http://127.0.0.1:8888" }),
  noNetwork: harmless({ sample: false }),
  secret: trusted({ sample: ["API_KEY@api.example.com"] }),
  host: trusted({ sample: "127.0.0.1", unless: (value) => isLoopback(String(value)) }),
  port: trusted({ sample: 8484 }),
  maxRuns: trusted({ sample: 4 }),
  graceMs: harmless({ sample: "8s" }),
  webhook: trusted({ sample: "https://example.com/hooks/agentloop" }),
  name: refused(ONE_INVOCATION),
  outcome: refused(ONE_INVOCATION, OUTCOME_WORDS),
  since: refused(ONE_INVOCATION),
  until: refused(ONE_INVOCATION),
  versionNumber: refused(ONE_INVOCATION),
  offline: refused(ONE_INVOCATION),
  json: refused(ONE_INVOCATION),
  quiet: harmless({ sample: false }),
  verbose: harmless({ sample: false }),
  raw: harmless({ sample: false }),
  noColor: harmless({ sample: false }),
  noConfig: refused("a file that is read cannot say that it is not"),
  yes: refused(A_WORD),
  help: refused(ONE_INVOCATION),
  version: refused(ONE_INVOCATION),
};

type Details = Omit<OptionUse, "inFile" | "why" | "unless">;

function harmless(details: Details = {}): OptionUse {
  return { inFile: "harmless", ...details };
}

function trusted(
  details: Details & { readonly unless?: (value: OptionValue) => boolean } = {},
): OptionUse {
  return { inFile: "trusted", ...details };
}

function refused(why: string, completes?: OptionUse["completes"]): OptionUse {
  return { inFile: "refused", why, ...(completes === undefined ? {} : { completes }) };
}

function atMost(limit: number): (value: OptionValue) => boolean {
  return (value) => typeof value === "number" && value <= limit;
}
