/**
 * Every command, once: dispatch and help are made of this table. Each is imported only when it is run.
 */
import type { Command, CommandInfo } from "./command.ts";
import type { CliOptions } from "./option_table.ts";

/** One command. */
export interface CommandSpec extends CommandInfo {
  /** Loads it. */
  readonly load: () => Promise<Command>;
}

const OUTPUT: readonly (keyof CliOptions)[] = ["json", "quiet", "verbose", "noColor"];
const ENDPOINT: readonly (keyof CliOptions)[] = ["model", "baseUrl"];
/** What a run takes, whichever session it is in. */
const RUN_IN_SESSION: readonly (keyof CliOptions)[] = [
  "db",
  ...ENDPOINT,
  "maxSteps",
  "maxTokens",
  "maxCost",
  "pricePrompt",
  "priceCompletion",
  "timeoutMs",
  "contextWindow",
  "historyWindow",
  "noCompact",
  "context",
  "assistant",
  "timezone",
  "cwd",
  "noProject",
  "skillsDir",
  "noSkills",
  "approve",
  "protocol",
  "tools",
  "memory",
  "allowExec",
  "noExec",
  "dangerouslyAllowShell",
  "allowNet",
  "allowPrivateNet",
  "allowTools",
  "search",
  "noNetwork",
  "secret",
  "noConfig",
];
const RUN: readonly (keyof CliOptions)[] = [
  "session",
  "continue",
  "ephemeral",
  "system",
  ...RUN_IN_SESSION,
];

/** Those of a run that belong to one message, or to a person who is there. */
const OF_ONE_RUN: readonly (keyof CliOptions)[] = ["session", "continue"];

/** Every command, in the order of the help text. */
export const COMMANDS: readonly CommandSpec[] = [
  {
    name: "run",
    usage: "[MESSAGE…]",
    summary: "answer one message; the default, so the word may be left out",
    details: [
      "The answer goes to stdout, everything else to stderr. At a terminal its Markdown is rendered.",
      "Without a message it is read from stdin; a single - in the message stands for stdin:",
      "  git diff | agentloop run What changed here? -",
      "With a message and no - stdin is never read.",
      "",
      "With --json every event is one object on a line of its own, and the last line is always the",
      "result, also when nothing ran: type result, status, text, reason, error (null, or type and",
      "message), forced, flagged, pending (null, or the call that waits), session_id, run_id, steps,",
      "tokens, spent, data_bytes_carried, duration_ms, exit_code.",
      "",
      "With --approve wait a run ends with exit code 5 where somebody would be asked; resume goes on.",
    ],
    options: [...RUN, "raw", ...OUTPUT],
    load: async () => (await import("./commands/run.ts")).runMessage,
  },
  {
    name: "chat",
    usage: "",
    summary: "a conversation, until /exit or Ctrl-D",
    details: [
      "Ctrl-C stops the answer that is being made and keeps the conversation; at an empty prompt, pressed",
      "twice, it leaves. /help lists the commands: /new, /sessions, /model, /compact, /approve, /exit.",
      "A message is one line. A line that ends with a backslash goes on in the next one; at a terminal",
      "Alt-Enter does the same, lines that are pasted at once are one message, and the arrow keys go back",
      "to earlier ones.",
    ],
    options: [...RUN, "raw", "quiet", "verbose", "noColor"],
    load: async () => (await import("./commands/chat.ts")).chat,
  },
  {
    name: "resume",
    usage: "SESSION",
    summary: "go on with a run that waits for a word on a call",
    details: [
      "--allow makes the call, --args JSON makes it with other arguments (a list, such as",
      '["a", {"b": 1}]), --deny REASON refuses it; the model is told of both. Without one of them you are',
      "asked at a terminal, or --approve answers. What was done before is not done again, and the answer",
      "comes as from run. Give the options that the run had: --cwd, --allow-net and the others count from",
      "here on as they are given now. sessions waiting lists what waits.",
    ],
    options: ["allow", "deny", "args", "call", ...RUN_IN_SESSION, "raw", ...OUTPUT],
    load: async () => (await import("./commands/resume.ts")).resumeRun,
  },
  {
    name: "serve",
    usage: "",
    summary: "answer messages over HTTP, until it is told to stop",
    details: [
      'POST /sessions/ID/messages with {"message":"…"} gives the events of --json as server-sent events,',
      "the result last. GET /sessions and GET /sessions/ID list and show. Artifacts are at the addresses",
      "that scripts get for them, and GET /health says ok; the rest wants Authorization: Bearer TOKEN.",
      "The token is $AGENTLOOP_TOKEN, else the one in the file DATABASE.token, which is made; with",
      "--ephemeral one is printed once. What is scheduled is done while the server runs.",
      "",
      "A session answers one message at a time: another gets 409. What the policy asks about is refused,",
      "unless --approve auto; with --approve wait the run ends there, and POST /sessions/ID/decisions with",
      '{"call_id":"…","decision":"approve"} or deny goes on. A client that goes away ends its run.',
      "SIGTERM and Ctrl-C end the server: no new run begins, those under way get --grace. Twice ends it",
      "at once.",
    ],
    options: [
      "host",
      "port",
      "maxRuns",
      "webhook",
      "graceMs",
      ...RUN.filter((option) => !OF_ONE_RUN.includes(option)),
      ...OUTPUT,
    ],
    load: async () => (await import("./commands/serve.ts")).serve,
  },
  {
    name: "demo",
    usage: "",
    summary: "see it work without a key: a data job with a recorded model",
    details: [
      "A small HTTP API on 127.0.0.1 serves 1,200 orders in three pages and 300 customers. The model is",
      "recorded, its scripts really run. The result is checked against a computation of the command's own.",
    ],
    options: ["session", "db", ...OUTPUT],
    load: async () => (await import("./commands/demo.ts")).demo,
  },
  {
    name: "doctor",
    usage: "",
    summary: "check endpoint, model, sandbox, database, project and permissions",
    details: [
      "Makes one small real request, which a provider may bill; --offline skips it.",
      "Says what the runtime granted, what each missing permission switches off, and what commands could",
      "reach.",
    ],
    options: [...ENDPOINT, "db", "cwd", "skillsDir", "timeoutMs", "offline", "noConfig", ...OUTPUT],
    load: async () => (await import("./commands/doctor.ts")).doctor,
  },
  {
    name: "sessions ls",
    usage: "",
    summary: "list the sessions, the last used first",
    details: [],
    options: ["db", "noConfig", ...OUTPUT],
    load: async () => (await import("./commands/sessions_ls.ts")).listSessions,
  },
  {
    name: "sessions waiting",
    usage: "",
    summary: "list the sessions that wait for a word on a call",
    details: [],
    options: ["db", "noConfig", ...OUTPUT],
    load: async () => (await import("./commands/sessions_waiting.ts")).listWaiting,
  },
  {
    name: "sessions show",
    usage: "ID",
    summary: "print what happened in a session",
    details: [],
    options: ["db", "noConfig", ...OUTPUT],
    load: async () => (await import("./commands/sessions_show.ts")).showSession,
  },
  {
    name: "sessions calls",
    usage: "ID",
    summary: "list the calls of a session, with decision and outcome",
    details: [
      "Of scripts and of tools by name alike, in their order, with their arguments; --json has these whole.",
      "--name and --outcome take several words with commas between them, and may be given again. All that",
      "is given must hold. Outcomes: ok, error, timeout, refused, cancelled, result (it could not be handed",
      "over), never-ended (its program died, or is still at it).",
      "TIME is a date (2026-03-01), a date and a time (2026-03-01T13:05) or how long ago: 90s, 30m, 2h, 3d.",
      "It is meant in the time zone of this machine unless it ends in Z or in an offset such as +02:00.",
      "A call counts by when it began: --since takes its moment in, --until does not, but a date whole.",
    ],
    options: ["db", "name", "outcome", "since", "until", "noConfig", ...OUTPUT],
    load: async () => (await import("./commands/sessions_calls.ts")).listCalls,
  },
  {
    name: "sessions compact",
    usage: "ID",
    summary: "fold the older part of a session into a summary",
    details: [
      "Later runs are sent the summary in place of the steps that it stands for; those stay in the trace.",
      "Asks the model, which a provider may bill. Prints the summary.",
    ],
    options: [
      ...ENDPOINT,
      "db",
      "timeoutMs",
      "contextWindow",
      "historyWindow",
      "instruction",
      "noConfig",
      ...OUTPUT,
    ],
    load: async () => (await import("./commands/sessions_compact.ts")).compactOnDemand,
  },
  {
    name: "sessions rm",
    usage: "ID…",
    summary: "delete sessions with all they hold, artifacts included",
    details: [],
    options: ["db", "noConfig", ...OUTPUT],
    load: async () => (await import("./commands/sessions_rm.ts")).removeSessions,
  },
  {
    name: "sessions revoke",
    usage: "ID [WHAT]",
    summary: "forget what a session was allowed",
    details: [
      "WHAT is a host, a file or a function as sessions show lists them; without it everything is",
      "forgotten. The next run asks again.",
    ],
    options: ["db", "noConfig", ...OUTPUT],
    load: async () => (await import("./commands/sessions_revoke.ts")).revokeGrants,
  },
  {
    name: "artifacts ls",
    usage: "",
    summary: "list the artifacts that runs saved, the last saved first",
    details: [],
    options: ["session", "db", "noConfig", ...OUTPUT],
    optionHelp: { session: "list those of this session alone" },
    load: async () => (await import("./commands/artifacts_ls.ts")).listArtifacts,
  },
  {
    name: "artifacts show",
    usage: "ID",
    summary: "print the content of an artifact",
    details: [
      "ID may also be its address, as models tell it: /artifacts/ID/report.html.",
      "Into a pipe or a file it goes as it is; at a terminal control characters are made visible.",
    ],
    options: ["db", "versionNumber", "noConfig", ...OUTPUT],
    load: async () => (await import("./commands/artifacts_show.ts")).showArtifact,
  },
  {
    name: "artifacts rm",
    usage: "ID…",
    summary: "delete artifacts with all their versions",
    details: [],
    options: ["db", "noConfig", ...OUTPUT],
    load: async () => (await import("./commands/artifacts_rm.ts")).removeArtifacts,
  },
  {
    name: "schedule ls",
    usage: "",
    summary: "list what is scheduled, the next due first",
    details: [
      "Then come tasks that are over. LAST says how the last time went: done, failed, or unknown where a",
      "program ended in the middle: that one may have been done, and is not done again.",
    ],
    options: ["db", "noConfig", ...OUTPUT],
    load: async () => (await import("./commands/schedule_ls.ts")).listTasks,
  },
  {
    name: "schedule rm",
    usage: "ID…",
    summary: "cancel what is scheduled",
    details: ["What has begun goes on to its end."],
    options: ["db", "noConfig", ...OUTPUT],
    load: async () => (await import("./commands/schedule_rm.ts")).removeTasks,
  },
  {
    name: "schedule run-due",
    usage: "",
    summary: "do what is due now, once, and end",
    details: [
      "Messages go to their session, to stdout or to --webhook; agent tasks are runs in their session,",
      "under the same options as run. Several programs may do this at once: each task is done by one of",
      "them. What fails and may go well later is put off, and done when this is run again. The exit code",
      "is 0 when everything that was due is done, or nothing was; 1 when something failed, was put off,",
      "or is unknown.",
    ],
    options: [
      ...RUN.filter((field) =>
        !["session", "continue", "ephemeral", "context", "system"].includes(field)
      ),
      "webhook",
      ...OUTPUT,
    ],
    load: async () => (await import("./commands/schedule_run_due.ts")).runDueTasks,
  },
  {
    name: "init",
    usage: "",
    summary: "write a commented config file and an example skill",
    details: [
      "They go into .agentloop at the root of the repository, or in the folder itself where there is none.",
      "What is there already is left alone. --cwd says where.",
    ],
    options: ["cwd", ...OUTPUT],
    load: async () => (await import("./commands/init.ts")).init,
  },
  {
    name: "trust",
    usage: "",
    summary: "let the project's config file allow what it says",
    details: [
      "A config file comes with a checkout. What it says that costs money, sends data somewhere or lets",
      "something pass without a question is used only when you trust the file as it is: a change ends that.",
    ],
    options: ["cwd", "yes", ...OUTPUT],
    load: async () => (await import("./commands/trust.ts")).trust,
  },
  {
    name: "trust revoke",
    usage: "",
    summary: "trust the project's config file no longer",
    details: [],
    options: ["cwd", ...OUTPUT],
    load: async () => (await import("./commands/trust_revoke.ts")).revokeTrust,
  },
  {
    name: "completions",
    usage: "bash|zsh|fish",
    summary: "print a script that completes this command in a shell",
    details: [
      "bash: agentloop completions bash > ~/.local/share/bash-completion/completions/agentloop",
      "zsh:  agentloop completions zsh > DIR/_agentloop, with DIR in fpath before compinit is run",
      "fish: agentloop completions fish > ~/.config/fish/completions/agentloop.fish",
    ],
    options: [...OUTPUT],
    load: async () => (await import("./commands/completions.ts")).completions,
  },
  {
    name: "help",
    usage: "[COMMAND]",
    summary: "explain a command",
    details: [],
    options: ["json"],
    load: async () => (await import("./commands/help.ts")).help,
  },
];

/** The words that can begin a command. */
export function commandWords(): Set<string> {
  return new Set(COMMANDS.map((spec) => spec.name.split(" ")[0] ?? ""));
}
