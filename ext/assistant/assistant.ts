/** The preset: what a loop is given to be an assistant, and what each message is. Holds no state between runs. */
import { refuseUnknown } from "../../contracts/known_names.ts";
import type { LoopConfig, RunRequest } from "../../contracts/loop.ts";
import type { RunStep, StepStore } from "../../contracts/step.ts";
import { type ClaimReviewOptions, reviewClaims } from "./claim_review.ts";
import { type GuidelineOptions, toolGuidelines } from "./guidelines.ts";
import { DEFAULT_ASSISTANT_ITERATIONS } from "./iterations.ts";
import { writeLayer } from "./layers.ts";
import { formatTemporalContext } from "./temporal_context.ts";
import { checkTimeZone } from "./wall_clock.ts";

/** So many steps back the last message is looked for; what stands before is reckoned from the newest step. */
const REACH = 50;

/** Options of {@linkcode createAssistant}. */
export interface AssistantOptions extends ClaimReviewOptions {
  /** The trace, in which the last message of a session is looked up. */
  readonly steps: Pick<StepStore, "lastN">;
  /** Where the user is: a name of the IANA database. @default the system's zone */
  readonly timeZone?: string;
  /** The clock, which the loop gets too. @default () => new Date() */
  readonly now?: () => Date;
  /** Which of the guidelines are told, or others in their place; "" for none. @default all of `toolGuidelines()` */
  readonly guidelines?: GuidelineOptions | string;
  /** Model calls of one run at most. @default 5 */
  readonly maxIterations?: number;
}

const OPTIONS: Readonly<Record<keyof AssistantOptions, true>> = {
  steps: true,
  timeZone: true,
  now: true,
  guidelines: true,
  maxIterations: true,
  deeds: true,
  isKnownAddress: true,
  origins: true,
};

/** What an assistant adds to a loop and its runs. */
export interface Assistant {
  /** For `createLoop`, which needs `calls` beside it. */
  readonly config: Required<
    Pick<LoopConfig, "maxIterations" | "forceFinalText" | "reviewAnswer" | "now">
  >;
  /**
   * A request with the layers: the guidelines before its `context`, where they stay the same from run to run, and the time in its `turnContext`, which stands with this
   * message alone. For a request to go on after a wait it does the same. Reads the session's newest steps; rejects when the store does.
   */
  prepare<Request extends Omit<RunRequest, "message">>(
    request: Request,
  ): Promise<Request & Required<Pick<RunRequest, "context" | "turnContext">>>;
}

/**
 * Makes the parts of an assistant: at most five model calls a run and a text at the last of them, guidelines, the time, and a check on what answers claim.
 *
 * The summary of a long conversation comes from the loop's `compactor`, as a message of the history: so it is sent once.
 *
 * @example
 * ```ts
 * import { createLoop, DefaultSandboxBuilder, MemoryStore } from "@agentloop/core";
 * import { createAssistant } from "@agentloop/core/ext/assistant";
 * import { scriptedClient } from "@agentloop/core/testing";
 *
 * const store = new MemoryStore();
 * await using sandboxBuilder = new DefaultSandboxBuilder();
 * const assistant = createAssistant({ steps: store, timeZone: "America/Sao_Paulo" });
 * const loop = createLoop({
 *   ...assistant.config,
 *   llm: scriptedClient(["Hello."]),
 *   sessions: store,
 *   steps: store,
 *   calls: store,
 *   sandboxBuilder,
 * });
 * const request = await assistant.prepare({ sessionId: "s1", message: "Hi." });
 * console.log(typeof loop.run, request.turnContext);
 * ```
 *
 * @throws {RangeError} for a name that is no zone's.
 * @throws {TypeError} when another option is not what it should be, or there is no such option.
 */
export function createAssistant(options: AssistantOptions): Assistant {
  refuseUnknown("createAssistant", options, OPTIONS);
  const { steps, now = () => new Date(), maxIterations = DEFAULT_ASSISTANT_ITERATIONS } = options;
  if (typeof steps?.lastN !== "function") {
    throw new TypeError("createAssistant: steps must be a step store; it lacks the method lastN");
  }
  const timeZone = checkTimeZone(
    options.timeZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone,
  );
  const { guidelines, deeds, isKnownAddress, origins } = options;
  const reviewAnswer = reviewClaims({
    ...(deeds === undefined ? {} : { deeds }),
    ...(isKnownAddress === undefined ? {} : { isKnownAddress }),
    ...(origins === undefined ? {} : { origins }),
  });
  const guide = writeLayer(
    "tool_execution_guidelines",
    typeof guidelines === "string" ? guidelines : toolGuidelines(guidelines),
  );
  return {
    config: { maxIterations, forceFinalText: true, reviewAnswer, now },
    async prepare(request) {
      const lastMessageAt = await lastMessageIn(steps, request.sessionId);
      const time = formatTemporalContext(
        now(),
        timeZone,
        lastMessageAt === undefined ? {} : { lastMessageAt },
      );
      return {
        ...request,
        context: joined(guide, request.context),
        turnContext: joined(request.turnContext, writeLayer("temporal_context", time)),
      };
    },
  };
}

function joined(...parts: readonly (string | undefined)[]): string {
  return parts.map((part) => part?.trim() ?? "").filter((part) => part !== "").join("\n\n");
}

/** When somebody last said something; nothing in a session that begins. */
async function lastMessageIn(
  steps: Pick<StepStore, "lastN">,
  sessionId: string,
): Promise<Date | undefined> {
  const newest = await steps.lastN(sessionId, REACH);
  return (newest.findLast(isMessage) ?? newest.findLast(({ stepType }) => stepType !== "summary"))
    ?.createdAt;
}

function isMessage({ stepType }: RunStep): boolean {
  return stepType === "user" || stepType === "response";
}
