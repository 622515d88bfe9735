/** The error for a request that is too long however much of it is left out: it names what is too long, and by how much. */
import { AgentLoopError } from "../contracts/errors.ts";
import type { Piece, PieceKind } from "./piece.ts";
import { type Sized, unsettledTokens } from "./request_size.ts";
import { declarationTokens } from "./run_tools.ts";

/** A part of a request, as a person would name it, and what would make it shorter. */
interface Described {
  readonly what: string;
  readonly hint: string;
}

const SYSTEM: Described = {
  what: "the system prompt",
  hint: "Offer fewer functions, shorten persona and context",
};
const TOOLS: Described = {
  what: "the declarations of the tools",
  hint: "Offer fewer tools, let the model look for them (toolExpander)",
};
const UNSETTLED: Described = {
  what: "the reply that could not be used",
  hint: "Send the message again",
};
const OTHER: Described = { what: "the history", hint: "Begin a new session" };
const PIECES: { readonly [kind in PieceKind]?: Described } = {
  message: {
    what: "the user's message",
    hint: "Shorten it, hand large data to the scripts instead",
  },
  script: { what: "the newest script", hint: "Ask for shorter scripts" },
  result: {
    what: "the result of the newest script",
    hint: "Let scripts log less (a smaller logBytes)",
  },
  calls: { what: "the newest calls of tools", hint: "Let tools take less in their arguments" },
  call_result: { what: "the results of the newest calls", hint: "Let tools give less" },
  summary: { what: "the summary of the history", hint: "Let the summarizer write less" },
  given: { what: "the history that the compactor made", hint: "Let it make less" },
};

/**
 * The error for a request of which these pieces cannot be left out; nothing when they fit.
 *
 * @param cause the provider's own word that the request was too long: then they never fit
 */
export function overflowError(
  run: Sized,
  { pieces, cause }: { readonly pieces: readonly Piece[]; readonly cause?: AgentLoopError },
): AgentLoopError | undefined {
  const { budget, conversation, systemTokens, tools } = run;
  const toolTokens = declarationTokens(tools.declarations, budget.estimate);
  const sizes = [
    { ...SYSTEM, tokens: systemTokens - toolTokens },
    { ...TOOLS, tokens: toolTokens },
    ...pieces.map((piece) => ({
      ...(PIECES[piece.kind] ?? OTHER),
      tokens: conversation.sizeOf(piece),
    })),
    { ...UNSETTLED, tokens: unsettledTokens(run) },
  ];
  const total = budget.corrected(sizes.reduce((sum, { tokens }) => sum + tokens, 0));
  const { allowance, window } = budget;
  if (total <= allowance && cause === undefined) return undefined;
  const largest = sizes.reduce((one, other) => other.tokens > one.tokens ? other : one);
  const fit = total <= allowance
    ? `The provider says so, although the request takes only about ${total} tokens.`
    : `About ${total} tokens cannot be left out, and a request may take ${allowance}: ${
      total - allowance
    } too many.`;
  const ofWindow = window === Infinity ? "" : ` of ${window} tokens`;
  return new AgentLoopError(
    `The request does not fit into the model's context window${ofWindow}. ${fit} Most of it is ${largest.what}, with about ${
      budget.corrected(largest.tokens)
    } tokens. ${largest.hint}, or use a model with a larger window.`,
    { code: "model_context_overflow", ...(cause === undefined ? {} : { cause }) },
  );
}
