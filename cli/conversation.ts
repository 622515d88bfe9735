/**
 * Puts a run together from the options: model, store, sandbox, loop, session. Everything slow is started at once and imported only here.
 */
import type { ResumeRequest, RunRequest, RunResult } from "../contracts/loop.ts";
import type { TextRedactor } from "../contracts/redaction.ts";
import { redactJson } from "../redact/redact_json.ts";
import { type Activity, followRun } from "./activity.ts";
import { type ApprovalMode, approvalMode, isAtTerminal } from "./approval/approval_mode.ts";
import { openApprovals, type SessionApprovals } from "./approval/session_approvals.ts";
import type { CallableParts } from "./callable_parts.ts";
import type { CommandContext } from "./command.ts";
import { eventLine } from "./event_line.ts";
import { CliError } from "./failure.ts";
import { openLines } from "./line_editor/open_lines.ts";
import { type LineReader, pipedLines } from "./line_reader.ts";
import { modelName, openModel, requireModelAccess } from "./model.ts";
import type { CliOptions } from "./option_table.ts";
import { checkSessionId, newSessionId } from "./session_id.ts";
import {
  openExistingStore,
  type OpenStore,
  openStore,
  pathOf,
  type Store,
} from "./store_access.ts";
import { oneLine } from "./terminal_text.ts";
import { readTextOption } from "./text_input.ts";

/** A session that messages can be put to, and then another. Disposing closes what it was made of. */
export interface Conversation extends AsyncDisposable {
  /** The session. */
  readonly sessionId: string;
  /** The options, with the model that is asked now. */
  readonly options: CliOptions;
  /** Where sessions are kept. */
  readonly store: Store;
  /** Takes secrets out of what is shown. */
  readonly redactor: TextRedactor;
  /** How questions are answered. */
  readonly approvals: SessionApprovals;
  /**
   * Answers one message; events go to stdout (as JSON lines) and stderr (as activity) meanwhile. The first signal of `interrupt` and a reader of
   * stdout that goes away end the run.
   */
  ask(message: string): Promise<RunResult>;
  /** Goes on with the session's run that waits; the rest is as for a message. */
  resume(word: Pick<ResumeRequest, "decision" | "callId">): Promise<RunResult>;
  /**
   * Answers one message of any session, which is created when it is new; other sessions may be answered meanwhile. Nothing is printed, and only the
   * request's signal ends the run.
   */
  answer(request: SessionMessage): Promise<RunResult>;
  /** Goes on with the run that any session waits at; the rest is as for {@linkcode Conversation.answer}. */
  goOn(request: SessionDecision): Promise<RunResult>;
  /** Begins a new session for what follows, with the persona that the options name, and gives its id. */
  begin(): Promise<string>;
  /** Goes on with another session, which is there. */
  goTo(sessionId: string): void;
  /** Asks another model from now on, in summaries and `ai` too. */
  useModel(model: string): Promise<void>;
}

/** A message of a session, with what its caller asks for besides. What is left out is as the options say. */
export type SessionMessage = Pick<
  RunRequest,
  "sessionId" | "message" | "maxIterations" | "timeoutMs" | "signal" | "onEvent"
>;

/** A word on the call that a session waits at. */
export type SessionDecision =
  & Omit<SessionMessage, "message">
  & Pick<ResumeRequest, "decision" | "callId">;

/** How long the process for scripts is kept between two messages of a conversation. It takes about 55 MB, and starting one anew about 0.2 s. */
const IDLE_MS = 10 * 60_000;

/** Newest steps in which the question stands at which a session waits, unless its run went on for long after the word. */
const NEWEST_STEPS = 20;

/** Opens the session that the options name. `severalMessages` keeps what runs scripts ready for the next message. */
export async function openConversation(
  context: CommandContext,
  { severalMessages = false, unattended = false, withheld = [], bring, lines }: {
    readonly severalMessages?: boolean;
    /** Nobody is there to be asked, and no session is the one that is meant. @default false */
    readonly unattended?: boolean;
    /** Texts that are taken out of what is shown and stored, beside the secrets of the options. @default none */
    readonly withheld?: readonly string[];
    /** Makes what runs can call beside what the options give. @default nothing */
    readonly bring?: (store: Store) => CallableParts;
    /** Where a person's answers come from; the caller's to dispose. Opened when it is left out and one is needed. */
    readonly lines?: LineReader;
  } = {},
): Promise<Conversation> {
  const { options, output, status, interrupt } = context;
  const mode = approvalMode(options, !unattended && isAtTerminal());
  if (options.session !== undefined) checkSessionId(options.session);
  const loading = import("./run_parts.ts");
  const assisting = options.assistant ? await import("./assistant.ts") : undefined;
  const bringing = bring ??
    // What ends with the command is of no use to an assistant's user.
    (assisting && !options.ephemeral
      ? (store: Store) => assisting.assistantFunctions(options, store)
      : undefined);
  const brings = bringing !== undefined;
  const opening = openModel(options);
  // Awaited when the options have been looked at: one that is wrong is told before a key that is missing.
  opening.catch(() => {});
  const [texts, instructions, skills, makeTools] = await Promise.all([
    readTexts(options, interrupt.signal),
    import("./project_instructions.ts").then(({ readInstructions }) =>
      readInstructions(options, status)
    ),
    import("./project_skills.ts").then(({ projectSkills }) => projectSkills(options, status)),
    !brings && options.tools === undefined && !options.memory && options.search === undefined
      ? undefined
      : import("./tool_parts.ts").then(({ readToolParts }) =>
        readToolParts(options, interrupt.signal)
      ),
  ]);
  const { readSettings, settingsFor, openLoop } = await loading;
  // Before the store: where an option is wrong or a key is missing, no database is made.
  const checked = readSettings(options, { brings });
  const { client, config } = await opening;
  const model = await modelName(config);
  const settings = settingsFor(checked, { options, config, model, withheld });
  await requireModelAccess(config);
  const opened = options.continue ? await openToContinue(options) : await openStore(options);
  await using cleanup = new AsyncDisposableStack();
  cleanup.use(opened);
  const { store } = opened;
  let sessionId = options.session ??
    (options.continue ? await lastSession(opened) : newSessionId(new Date(), Math.random));
  if (texts.system !== undefined && !unattended) {
    await store.configure(sessionId, { systemPrompt: texts.system });
  }
  const idleMs = severalMessages ? IDLE_MS : 0;
  const brought = bringing?.(store);
  const assistant = assisting?.commandAssistant(options, { store, brought });
  const shared = {
    store,
    idleMs,
    capabilities: [...instructions.capabilities, ...skills],
    assistant,
    makeTools,
    brought,
  };
  let chosen = options;
  let running = openLoop(options, { ...shared, settings, client });
  cleanup.defer(() => running[Symbol.asyncDispose]());
  // What is given for this run alone stands last: nearer to the message, and with more before it that stays the same.
  const runContext = [instructions.context, texts.context ?? ""]
    .filter((text) => text !== "").join("\n\n");
  let activity: Activity | undefined;
  let own: LineReader | undefined;
  const approvals = openApprovals(mode, {
    grants: store,
    asking: {
      lines: () => lines ?? (own ??= parts.use(openAnswers(mode))),
      output,
      status,
      interrupt,
      quiet: () => activity?.pause() ?? { [Symbol.dispose]() {} },
      redact: (value) => redactJson(value, settings.redactor),
      redactText: (text) => settings.redactor.redact(text),
    },
  });
  const parts = cleanup.move();

  function common(sessionId: string): Omit<RunRequest, "message"> {
    const approve = approvals.approveFor(sessionId);
    return {
      sessionId,
      ...(runContext === "" ? {} : { context: runContext }),
      ...(chosen.model === undefined ? {} : { model: chosen.model }),
      ...(options.maxSteps === undefined ? {} : { maxIterations: options.maxSteps }),
      ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
      ...(approve === undefined ? {} : { approve }),
      ...(options.memory ? { memory: true } : {}),
    };
  }

  async function run(message: SessionMessage): Promise<RunResult> {
    return await running.loop.run(await prepared(message));
  }

  async function goOn(word: SessionDecision): Promise<RunResult> {
    return await running.loop.resume(await prepared(word));
  }

  async function prepared<Own extends { readonly sessionId: string }>(own: Own): Promise<Own> {
    const request = { ...common(own.sessionId), ...own };
    // Where the store cannot be read, the run says so.
    return await assistant?.prepare(request).catch(() => request) ?? request;
  }

  return {
    get sessionId() {
      return sessionId;
    },
    get options() {
      return chosen;
    },
    store,
    redactor: settings.redactor,
    approvals,
    async begin() {
      sessionId = newSessionId(new Date(), Math.random);
      if (texts.system !== undefined) {
        await store.configure(sessionId, { systemPrompt: texts.system });
      }
      return sessionId;
    },
    goTo(id) {
      sessionId = id;
    },
    async useModel(model) {
      const next = { ...options, model };
      const { client } = await openModel(next);
      const opened = openLoop(next, { ...shared, settings: { ...settings, model }, client });
      await running[Symbol.asyncDispose]();
      [running, chosen] = [opened, next];
    },
    async ask(message) {
      await sayWhatEnds();
      return await drive((heard) => run({ sessionId, message, ...heard }));
    },
    resume: (word) => drive((heard) => goOn({ sessionId, ...heard, ...word })),
    async answer(request) {
      const { sessionId } = request;
      if (texts.system !== undefined && !await store.exists(sessionId)) {
        await store.configure(sessionId, { systemPrompt: texts.system });
      }
      return await run(request);
    },
    goOn,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };

  async function sayWhatEnds(): Promise<void> {
    // Where the store cannot be read, the run says so.
    const newest = await store.lastN(sessionId, NEWEST_STEPS).catch(() => []);
    if (!newest.some(({ stepType }) => stepType === "approval")) return;
    const { endedWait } = await import("./ended_wait.ts");
    const told = await endedWait(store, sessionId).catch(() => undefined);
    if (told !== undefined) status.warning(settings.redactor.redact(told));
  }

  async function drive(
    start: (heard: Pick<RunRequest, "signal" | "onEvent">) => Promise<RunResult>,
  ): Promise<RunResult> {
    using following = activity = followRun(status, { whyRefused: settings.policy.whyRefused });
    return await start({
      signal: AbortSignal.any([interrupt.signal, output.closed]),
      onEvent(event) {
        following.onEvent(event);
        output.line(eventLine(event));
      },
    });
  }
}

/** Where answers come from when nothing else is read. */
function openAnswers(mode: ApprovalMode): LineReader {
  return mode === "stdio" ? pipedLines(Deno.stdin.readable) : openLines();
}

async function readTexts(
  options: CliOptions,
  signal: AbortSignal,
): Promise<{ readonly context?: string; readonly system?: string }> {
  return {
    ...(options.context === undefined
      ? {}
      : { context: await readTextOption("context", options.context, { signal }) }),
    ...(options.system === undefined
      ? {}
      : { system: await readTextOption("system", options.system, { signal }) }),
  };
}

async function openToContinue(options: CliOptions): Promise<OpenStore> {
  return await openExistingStore(options) ?? noSession(pathOf(options));
}

async function lastSession({ store, path = "" }: OpenStore): Promise<string> {
  const [last] = await store.list({ limit: 1 });
  return last?.id ?? noSession(path);
}

function noSession(path: string): never {
  throw new CliError(
    "session_missing",
    `There is no session to go on with in ${oneLine(path, 200)}.`,
    { hint: "Start one by leaving --continue out." },
  );
}
