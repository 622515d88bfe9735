/**
 * Every option of the command, once: parsing, help and error messages are made of this table.
 */

/** What the options of one invocation say. Absent means not given. */
export interface CliOptions {
  /** Events and a result as JSON lines on stdout. */
  readonly json: boolean;
  /** Only warnings and errors on stderr. */
  readonly quiet: boolean;
  /** Scripts, logs and details on stderr. */
  readonly verbose: boolean;
  /** Colors are unwanted. */
  readonly noColor: boolean;
  /** Answers are wanted as they came. */
  readonly raw: boolean;
  /** Help is wanted in place of the command. */
  readonly help: boolean;
  /** The version is wanted in place of the command. */
  readonly version: boolean;
  /** Go on with the session that was used last. */
  readonly continue: boolean;
  /** Keep everything in memory. */
  readonly ephemeral: boolean;
  /** Make no request. */
  readonly offline: boolean;
  /** Scripts get no function that reaches into a network. */
  readonly noNetwork: boolean;
  /** Scripts cannot run commands. */
  readonly noExec: boolean;
  /** Scripts may pass a command as text to a shell. */
  readonly dangerouslyAllowShell: boolean;
  /** The project's instructions stay out of the prompt. */
  readonly noProject: boolean;
  /** The project's skills are left out. */
  readonly noSkills: boolean;
  /** Nothing is summarized. */
  readonly noCompact: boolean;
  /** Secrets that scripts may use, `NAME` or `NAME@HOST`. */
  readonly secret?: readonly string[];
  /** No config file is read. */
  readonly noConfig: boolean;
  /** What would be asked is answered with yes. */
  readonly yes: boolean;
  /** How the model hands its scripts over. */
  readonly protocol?: string;
  /** A module of the user's own whose tools the model may call. */
  readonly tools?: string;
  /** Facts are remembered beyond the session. */
  readonly memory: boolean;
  /** Names of calls that are wanted. */
  readonly name?: readonly string[];
  /** Ways in which calls that are wanted ended. */
  readonly outcome?: readonly string[];
  /** The moment from which on calls are wanted, as it was written. */
  readonly since?: string;
  /** The moment before which calls are wanted, as it was written. */
  readonly until?: string;
  /** The version of an artifact that is wanted. */
  readonly versionNumber?: number;
  /** The web hook that gets what is due for the channel `webhook`. */
  readonly webhook?: string;
  /** The session to extend. */
  readonly session?: string;
  /** Path of the database. */
  readonly db?: string;
  /** The model to ask. */
  readonly model?: string;
  /** The endpoint to ask. */
  readonly baseUrl?: string;
  /** Model calls at most. */
  readonly maxSteps?: number;
  /** Wall time of a run, in ms. */
  readonly timeoutMs?: number;
  /** Steps of the past that are replayed at most. */
  readonly historyWindow?: number;
  /** Tokens that the model is served with. */
  readonly contextWindow?: number;
  /** Tokens that a run may spend. */
  readonly maxTokens?: number;
  /** Money that a run may spend. */
  readonly maxCost?: number;
  /** Price of a million prompt tokens. */
  readonly pricePrompt?: number;
  /** Price of a million completion tokens. */
  readonly priceCompletion?: number;
  /** What a summary is to heed, or `@file`. */
  readonly instruction?: string;
  /** Text for the end of the system prompt, or `@file`. */
  readonly context?: string;
  /** Text of the session's persona, or `@file`. */
  readonly system?: string;
  /** The run is an assistant's: it knows the time, and what it claims is checked. */
  readonly assistant: boolean;
  /** Where the user of an assistant is. */
  readonly timezone?: string;
  /** How questions of the policy are answered: `prompt`, `stdio`, `auto`, `deny` or `wait`. */
  readonly approve?: string;
  /** The call that waits is to be made. */
  readonly allow: boolean;
  /** The call that waits is refused, for this reason. */
  readonly deny?: string;
  /** The call that waits is to be made with these arguments, as JSON or `@file`. */
  readonly args?: string;
  /** The call that is meant. */
  readonly call?: string;
  /** The project that scripts read, change and run commands in. */
  readonly cwd?: string;
  /** Folders that hold skills, below the project's root. */
  readonly skillsDir?: readonly string[];
  /** Commands that run without a question, by name. */
  readonly allowExec?: readonly string[];
  /** Hosts that scripts may reach. */
  readonly allowNet?: readonly string[];
  /** Hosts that scripts may reach although they lie in a private network. */
  readonly allowPrivateNet?: readonly string[];
  /** Functions that scripts may call without a question, by name. */
  readonly allowTools?: readonly string[];
  /** Address of a search engine. */
  readonly search?: string;
  /** The address that the server listens on. */
  readonly host?: string;
  /** The port that the server listens on; 0 is any that is free. */
  readonly port?: number;
  /** Sessions that the server answers at once. */
  readonly maxRuns?: number;
  /** Time that runs get when the server is to stop, in ms. */
  readonly graceMs?: number;
}

/** How the value of an option is read. */
export type OptionKind = "flag" | "text" | "list" | "positive" | "count" | "amount" | "duration";

/** One option. */
export interface OptionSpec {
  /** Its name, without dashes. */
  readonly name: string;
  /** Its field in {@linkcode CliOptions}. */
  readonly field: keyof CliOptions;
  /** How its value is read. */
  readonly kind: OptionKind;
  /** What stands for the value in help; absent for a flag. */
  readonly value?: string;
  /** One letter that does the same. */
  readonly short?: string;
  /** One line of help. */
  readonly help: string;
}

/** Every option, in the order of the help text. */
export const OPTIONS: readonly OptionSpec[] = [
  option("session", "session", "text", "go on with this session; created when it is new", "ID"),
  option("continue", "continue", "flag", "go on with the session that was used last"),
  option("ephemeral", "ephemeral", "flag", "keep everything in memory, write nothing"),
  option(
    "db",
    "db",
    "text",
    "the database file; beats $AGENTLOOP_DB and the usual place",
    "PATH",
  ),
  option("model", "model", "text", "the model to ask; beats $OPENAI_CHAT_MODEL", "NAME"),
  option("base-url", "baseUrl", "text", "the endpoint to ask; beats $OPENAI_BASE_URL", "URL"),
  option("max-steps", "maxSteps", "positive", "model calls at most (default 20)", "N"),
  option("max-tokens", "maxTokens", "positive", "tokens that the run may spend", "N"),
  option("max-cost", "maxCost", "amount", "money that the run may spend", "X"),
  option(
    "price-prompt",
    "pricePrompt",
    "amount",
    "price of a million prompt tokens; else the provider's word counts",
    "X",
  ),
  option(
    "price-completion",
    "priceCompletion",
    "amount",
    "price of a million completion tokens",
    "X",
  ),
  option("timeout", "timeoutMs", "duration", "wall time: 30m, 90s, 500ms or seconds (5m)", "TIME"),
  option(
    "context-window",
    "contextWindow",
    "positive",
    "tokens that the model is served with; fits everything to it",
    "N",
  ),
  option(
    "history-window",
    "historyWindow",
    "count",
    "steps of the past that the model sees (80)",
    "N",
  ),
  option("no-compact", "noCompact", "flag", "never summarize old history"),
  option(
    "instruction",
    "instruction",
    "text",
    "what the summary is to heed; @FILE reads it",
    "TEXT",
  ),
  option("context", "context", "text", "add to this run's instructions; @FILE reads it", "TEXT"),
  option(
    "system",
    "system",
    "text",
    "persona, kept with the session; @FILE reads it",
    "TEXT",
  ),
  option(
    "assistant",
    "assistant",
    "flag",
    "an assistant: knows the time, 5 steps, its claims are checked",
  ),
  option(
    "timezone",
    "timezone",
    "text",
    "where an assistant's user is (the system's zone)",
    "ZONE",
  ),
  option("cwd", "cwd", "text", "the project: the folder whose files scripts see (.)", "DIR"),
  option("no-project", "noProject", "flag", "leave the project's AGENTS.md out of the prompt"),
  option(
    "skills-dir",
    "skillsDir",
    "list",
    "where the project's skills lie (.agentloop/skills)",
    "DIR",
  ),
  option("no-skills", "noSkills", "flag", "leave the project's skills out"),
  option(
    "allow-exec",
    "allowExec",
    "list",
    "commands that run without a question: git,make",
    "NAMES",
  ),
  option("no-exec", "noExec", "flag", "scripts cannot run commands at all"),
  option(
    "dangerously-allow-shell",
    "dangerouslyAllowShell",
    "flag",
    "scripts may hand a text to sh -c",
  ),
  option(
    "allow-net",
    "allowNet",
    "list",
    "hosts that scripts may reach: example.com,*.example.org",
    "HOSTS",
  ),
  option(
    "allow-private-net",
    "allowPrivateNet",
    "list",
    "the same for hosts in private networks: 127.0.0.1:8080",
    "HOSTS",
  ),
  option(
    "allow-tools",
    "allowTools",
    "list",
    "functions that pass without a question: writeFile",
    "NAMES",
  ),
  option("search", "search", "text", "a SearXNG instance, for web_search in scripts", "URL"),
  option(
    "protocol",
    "protocol",
    "text",
    "by scripts: code, code-tool or auto; by names: tools",
    "WAY",
  ),
  option("tools", "tools", "text", "a module of yours whose tools the model may call", "FILE"),
  option("memory", "memory", "flag", "remember facts beyond the session"),
  option(
    "approve",
    "approve",
    "text",
    "who answers where the policy asks: prompt, stdio, auto, deny, wait",
    "WAY",
  ),
  option("allow", "allow", "flag", "resume: the call that waits is made"),
  option("deny", "deny", "text", "resume: it is refused, and the model is told why", "REASON"),
  option(
    "args",
    "args",
    "text",
    "resume: it is made with other arguments; @FILE reads them",
    "JSON",
  ),
  option("call", "call", "text", "resume: the call that is meant, where you want to be sure", "ID"),
  option(
    "secret",
    "secret",
    "list",
    "secrets of the environment or .env, for scripts: NAME,NAME@HOST",
    "NAMES",
  ),
  option("no-config", "noConfig", "flag", "read no .agentloop/config.json"),
  option("yes", "yes", "flag", "trust: ask nothing, the answer is yes"),
  option("no-network", "noNetwork", "flag", "scripts get no fetch and no http at all"),
  option(
    "webhook",
    "webhook",
    "text",
    "where tasks of the channel webhook are posted to, signed",
    "URL",
  ),
  option("name", "name", "list", "calls of these names only: fetch,writeFile", "NAMES"),
  option("outcome", "outcome", "list", "calls that ended so: error,timeout,never-ended", "WORDS"),
  option(
    "since",
    "since",
    "text",
    "calls from then on: 2h (ago), a date, a date and a time",
    "TIME",
  ),
  option("until", "until", "text", "calls before then; of a date, its whole day counts", "TIME"),
  option(
    "version-number",
    "versionNumber",
    "positive",
    "this version of the artifact (the newest)",
    "N",
  ),
  option("host", "host", "text", "serve: the address to listen on (127.0.0.1)", "ADDRESS"),
  option("port", "port", "count", "serve: the port; 0 takes one that is free (8484)", "N"),
  option("max-runs", "maxRuns", "positive", "serve: sessions that are answered at once (4)", "N"),
  option("grace", "graceMs", "duration", "serve: time for runs when it is to stop (8s)", "TIME"),
  option("offline", "offline", "flag", "make no request to the model"),
  option("json", "json", "flag", "one JSON object a line on stdout, the result last"),
  option("quiet", "quiet", "flag", "only warnings and errors on stderr", undefined, "q"),
  option("verbose", "verbose", "flag", "scripts, logs and details on stderr", undefined, "v"),
  option(
    "raw",
    "raw",
    "flag",
    "the answer as it came, also at a terminal; no Markdown is rendered",
  ),
  option("no-color", "noColor", "flag", "no colors; NO_COLOR=1 does the same"),
  option("help", "help", "flag", "this text", undefined, "h"),
  option("version", "version", "flag", "the version"),
];

function option(
  name: string,
  field: keyof CliOptions,
  kind: OptionKind,
  help: string,
  value?: string,
  short?: string,
): OptionSpec {
  return {
    name,
    field,
    kind,
    help,
    ...(value === undefined ? {} : { value }),
    ...(short === undefined ? {} : { short }),
  };
}
