/**
 * Failures of a provider in one sentence for whoever uses a program. The words are those of the client's own messages (failure.ts and its neighbours), without what
 * servers wrote and without names of variables; only what no client says has words of its own here.
 */
import { AgentLoopError, type ErrorCode } from "../contracts/errors.ts";
import { type Failure, failureOfCut, failureOfEmptiness, failureOfReply } from "./failure.ts";
import { isRecord } from "./provider_error.ts";
import { createScrub } from "./scrub.ts";
import { failureOfNoTools, failureWithTools } from "./tool_failure.ts";
import { failureOfTransport, isTransportError } from "./transport_failure.ts";

/** Why something failed (the middle of a sentence), and what to do about it (sentences). */
interface Words {
  readonly why: string;
  readonly advice: string;
}

const TRY_AGAIN = "Try again; if it stays like this, tell whoever runs the program.";
const SANDBOX = "the program could not run the script";
const STORE = "the program could not use its store";

/** What is said of an error that says nothing of its own. A code without an entry does not compile. */
const WORDS_OF_CODE: Readonly<Record<ErrorCode, () => Words>> = {
  aborted: () => ({ why: "it was stopped", advice: "Start it again to go on." }),
  timeout: () => ({ why: "it took too long", advice: "Try again, or allow more time." }),
  config: () => ({
    why: "the program is not set up for it",
    advice: "Check its settings: the API key, the base URL and the model's name.",
  }),
  internal: () => ({ why: "something went wrong in the program", advice: TRY_AGAIN }),
  model_auth: () => wordsOf(failureOfReply("", { status: 401 })),
  model_connection: () => wordsOf(failureOfTransport(undefined)),
  model_context_overflow: () =>
    wordsOf(failureOfReply({ code: "context_length_exceeded" }, { status: 400 })),
  model_empty: () => wordsOf(failureOfEmptiness()),
  model_incomplete: () => wordsOf(failureOfCut("the reply broke off")),
  model_not_found: () => wordsOf(failureOfReply("", { status: 404 })),
  model_overloaded: () => wordsOf(failureOfReply("", { status: 503 })),
  model_rate_limited: () => wordsOf(failureOfReply("", { status: 429 })),
  model_rejected: () => wordsOf(failureOfReply("", { status: 400 })),
  model_tools_unsupported: () => wordsOf(failureOfNoTools()),
  not_waiting: () => ({
    why: "nothing waits for an answer any more",
    advice: "Look at what has become of it, and ask anew.",
  }),
  sandbox_busy: () => ({ why: "too many scripts run at once", advice: "Try again later." }),
  sandbox_lost: () => ({ why: SANDBOX, advice: TRY_AGAIN }),
  sandbox_permission: () => ({
    why: SANDBOX,
    advice: "Let it start its own runtime (--allow-run).",
  }),
  sandbox_start: () => ({ why: SANDBOX, advice: TRY_AGAIN }),
  store_corrupt: () => ({ why: STORE, advice: "Restore it from a copy, or name another file." }),
  store_failed: () => ({ why: STORE, advice: "Check the disk, and the rights to its file." }),
  store_foreign: () => ({
    why: STORE,
    advice: "Name another file: this one is of another program.",
  }),
  store_locked: () => ({
    why: "the store is in use by another program",
    advice: "Try again later.",
  }),
  store_missing: () => ({ why: STORE, advice: "Check the name of its file: there is none." }),
  store_conflict: () => ({
    why: "another program wrote to the same place at the same time",
    advice: "Try again.",
  }),
  store_newer: () => ({
    why: STORE,
    advice: "Update the program: the file is of a newer version.",
  }),
};

/** Names that a caller gives are cut here, in characters. */
const MAX_NAME_LENGTH = 120;

const scrub = createScrub([]);

/**
 * Puts a failure into one sentence that a user can act on: `Answering the question with Groq failed: the rate limit was reached; try again later, or raise the limit
 * with the provider.` It holds no key, no URL, nothing that a server wrote, and no stack.
 *
 * Takes whatever was thrown: an `AgentLoopError` keeps its code, status, tokens and window; errors of other clients (with `status` or `statusCode`, of connections,
 * of signals) get the code of what they mean; the rest is `internal`. The original is the `cause`, as it is: log it, do not show it. Never throws.
 *
 * @param scope What was being done, to stand at the beginning: `Answering the question`.
 * @param provider The provider as users know it: `OpenAI`.
 *
 * @example
 * ```ts
 * import { AgentLoopError, friendlyError } from "@agentloop/core";
 *
 * const thrown = new AgentLoopError("Asking m at http://… failed: …", { code: "model_overloaded" });
 * console.log(friendlyError("Answering the question", "OpenAI", thrown).message);
 * ```
 */
export function friendlyError(scope: string, provider: string, error: unknown): AgentLoopError {
  const known = error instanceof AgentLoopError ? error : undefined;
  const ended = known === undefined ? endOf(error) : undefined;
  const failure = known === undefined && ended === undefined ? failureOf(error) : undefined;
  const code = known?.code ?? ended ?? failure?.code ?? "internal";
  const { why, advice } = known === undefined
    ? wordsOf(failure) ?? WORDS_OF_CODE[code]()
    : wordsOfError(known);
  const doing = `${nameOf(scope) || "The request"} with ${nameOf(provider) || "the model"}`;
  const status = known?.status ?? failure?.status;
  return new AgentLoopError(`${doing} failed: ${scrub(`${why}; ${asClause(advice)}`)}.`, {
    code,
    cause: error,
    why,
    advice,
    ...(status === undefined ? {} : { status }),
    ...(known?.tokens === undefined ? {} : { tokens: known.tokens }),
    ...(known?.contextWindow === undefined ? {} : { contextWindow: known.contextWindow }),
  });
}

/** What an error says of itself, or what its status means, or what its code does. */
function wordsOfError({ code, status, message, why, advice }: AgentLoopError): Words {
  if (why !== undefined && advice !== undefined) return { why, advice };
  if (status !== undefined) {
    const meant = failureOfReply(message, { status });
    if (meant.code === code) return wordsOf(meant);
  }
  return WORDS_OF_CODE[code]();
}

function wordsOf(failure: Failure): Words;
function wordsOf(failure: Failure | undefined): Words | undefined;
function wordsOf(failure: Failure | undefined): Words | undefined {
  return failure && { why: failure.reason, advice: failure.advice ?? failure.hint };
}

/** What an error of another client means, where it is one of a provider. */
function failureOf(error: unknown): Failure | undefined {
  if (!isRecord(error)) return undefined;
  const status = [error["status"], error["statusCode"]].find(isStatus);
  if (status !== undefined) {
    return failureWithTools(failureOfReply(bodyOf(error), { status }));
  }
  return isTransportError(error) ? failureOfTransport(error) : undefined;
}

function isStatus(value: unknown): value is number {
  return typeof value === "number" && value >= 400 && value <= 599;
}

/** Clients keep what a server said in fields of different names. */
function bodyOf({ error, data, message }: Readonly<Record<string, unknown>>): unknown {
  if (isRecord(error)) return error;
  return isRecord(data) ? data : message;
}

/** The code of what a signal ended. */
function endOf(error: unknown): ErrorCode | undefined {
  const name = isRecord(error) ? error["name"] : undefined;
  if (name === "AbortError") return "aborted";
  return name === "TimeoutError" ? "timeout" : undefined;
}

/** Sentences as the end of another one. */
function asClause(advice: string): string {
  const clauses = advice
    // Names of variables and options are for whoever sets the program up.
    .replace(/ \((?:OPENAI_\w+|\w+Ms)\)/g, "")
    .split(/[.?]\s+/);
  return clauses.map((clause) => clause.slice(0, 1).toLowerCase() + clause.slice(1)).join("; ")
    .replace(/[.?]$/, "");
}

function nameOf(text: string): string {
  // deno-lint-ignore no-control-regex -- a name must not steer a terminal
  const line = scrub(String(text)).replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, " ").trim();
  return line.slice(0, MAX_NAME_LENGTH).toWellFormed();
}
