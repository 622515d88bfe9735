/**
 * Whether a provider says that a request was too long for the model's window, and which window it names. Every server words it in its own way;
 * words about a context alone mean nothing, since errors about models and options hold them too.
 */
import type { ProviderError } from "./provider_error.ts";

/** Codes and types that say it. */
const CODES =
  /\b(?:context_(?:length|window|size)_exceeded|exceed(?:s|ed)?_context_(?:size|length|window)(?:_error)?|context_overflow|prompt_too_long|input_too_long)\b/i;

const WORDINGS: readonly RegExp[] = [
  // "… exceeds the available context size (32768 tokens)", "input length exceeds the context length", "exceed context limit".
  /\bexceed\w*\b[^.\n]{0,80}\bcontext[ _-]?(?:size|length|window|limit)/i,
  // "the context length was exceeded", "context window exceeds limit".
  /\bcontext[ _-]?(?:size|length|window|limit)\b[^.\n]{0,30}\b(?:exceed\w*|overflow\w*|is full)/i,
  // "This model's maximum context length is 8192 tokens. However, you requested …", "too large for model with 32768 maximum context length".
  /\bmaximum context length\b/i,
  // "This model's maximum prompt length is 131072 but the request contains 537812 tokens."
  /\bmaximum prompt length is\b/i,
  // "The decoder prompt (length 40000) is longer than the maximum model length of 32768."
  /\b(?:prompt|input|request|conversation)\b[^.\n]{0,80}\b(?:longer|larger|greater) than\b[^.\n]{0,60}\b(?:model|context|window)\b/i,
  // "prompt is too long: 208310 tokens > 200000 maximum", "Input is too long for requested model."
  /\b(?:prompt|input|conversation|message)s? (?:is|are) too long\b/i,
  // "The input token count (1196265) exceeds the maximum number of tokens allowed (1048576).", "prompt token count of 9000 exceeds the limit of 8192".
  /\b(?:input|prompt) token count\b[^\n]{0,40}\bexceeds\b/i,
  // "too many tokens: total number of tokens in the prompt cannot exceed 4081".
  /\btoo many (?:input |prompt )?tokens\b/i,
  // "Please reduce the length of the messages or completion."
  /\breduce the length of the (?:messages?|prompt|input|context)\b/i,
  // "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: …"
  /\binputs?`? tokens \+ `?max_new_tokens`? must be <=/i,
  // "Trying to keep the first 4235 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens".
  /\bcontext (?:the )?overflows\b/i,
  // "The number of tokens to keep from the initial prompt is greater than the context length".
  /\btokens?\b[^.\n]{0,60}\bgreater than the context (?:length|size|window)\b/i,
];

/** How windows are named; the first group is the number, in tokens. */
const WINDOWS: readonly RegExp[] = [
  /\bcontext limit: [\d,]+ \+ [\d,]+ > (\d[\d,]*)/i,
  /\bcontext (?:size|length|window|limit)s?(?: (?:is|of))?(?: only)?:? ?\(?(\d[\d,]*)/i,
  /\bmaximum (?:model|prompt) length (?:is|of) (\d[\d,]*)/i,
  /\b(\d[\d,]*)(?:-token)? maximum context length/i,
  /> (\d[\d,]*)(?: tokens)? maximum\b/i,
  /\bmaximum number of tokens allowed \((\d[\d,]*)\)/i,
  /\bexceeds the limit of (\d[\d,]*)/i,
  /\bmust be <= ?(\d[\d,]*)/i,
  /\bcannot exceed (\d[\d,]*)/i,
];

/** No model has a window smaller or larger than this, in tokens: what says so is about something else. */
const PLAUSIBLE = { least: 128, most: 100_000_000 } as const;

/** Whether an error says that the request was too long for the model's window. */
export function isContextOverflow({ code = "", type = "", message }: ProviderError): boolean {
  return CODES.test(`${code} ${type}`) || WORDINGS.some((wording) => wording.test(message));
}

/** The window that such an error names, in tokens; nothing when it names none. */
export function contextWindowOf({ contextWindow, message }: ProviderError): number | undefined {
  const named = WINDOWS.map((window) => window.exec(message)?.[1])
    .map((digits) => digits === undefined ? undefined : Number(digits.replaceAll(",", "")));
  return [contextWindow, ...named].find((window) =>
    window !== undefined && window >= PLAUSIBLE.least && window <= PLAUSIBLE.most
  );
}
