/**
 * The system prompt. Nothing in it changes from turn to turn or from one run of a session to the next, so that providers can cache it.
 */

/** What holds for scripts, whether each comes as a block of a reply or as a call of a tool. */
export function protocolRules(unit: "block" | "call"): string {
  return `- All code stands inside \`run\`. It is called for you; do not call it yourself.
- Everything with numbers, dates, counting, sorting or changing text is done in code, even when it looks easy. Copy data that the message gives into the code. Only a greeting or the like gets a plain reply without a ${unit}.
- \`answer(result)\` ends the task; the user reads \`result\` (text as it is, other values as JSON). Call it once, with everything that was asked for.
- When you first need to see something, \`log()\` a little of it (counts, a sample) and do not answer yet: the next message shows your log lines, then you send the next ${unit}.
- What \`run\` returns becomes \`args\` of the next ${unit}, complete; you see only a short digest of it. Nothing else is kept between ${unit}s: define variables and functions again. If \`run\` returns nothing or fails, \`args\` stays as it was; at first it is undefined.
- After an error, fix the cause and send the whole ${unit} again.
- Functions of the sandbox API return their value directly in \`function run\`; in \`async function run\` they return promises (await, Promise.all).
- Plain modern JavaScript only: no import, no Node modules, no network or files unless the sandbox API declares them.`;
}

/** How a model that writes scripts is to reply. */
export const PROTOCOL_PROMPT =
  `You solve tasks by running JavaScript. Reply with one fenced block that defines \`run\`, like this:

\`\`\`javascript
function run(args) {
  const readings = [12, 7, 31.5];
  const high = readings.filter((n) => n > 10);
  const sum = high.reduce((total, n) => total + n, 0);
  answer("Readings above 10: " + high.length + ", together " + sum + ".");
}
\`\`\`

${protocolRules("block")}`;

/**
 * The protocol: how a model is to reply, what of its work survives a turn and how it ends a run. It lists no functions beside `log` and
 * `answer`; those come with the sandbox.
 */
export function textEmissionSystemPrompt(): string {
  return PROTOCOL_PROMPT;
}

/**
 * The whole system prompt: the protocol, the persona, the sandbox's declarations under `## Sandbox API`, then the context of the run.
 * Parts that are empty are left out.
 *
 * @param persona who the model is to be; "" for nobody in particular
 * @param sandboxApi declarations of what scripts can call; "" for nothing
 * @param context what is stable over the turns of a run, such as project instructions
 */
export function composeSystemPrompt(persona: string, sandboxApi: string, context?: string): string {
  return composePrompt(PROTOCOL_PROMPT, { persona, sandboxApi, context });
}

/** The same under instructions of any protocol. */
export function composePrompt(
  instructions: string,
  { persona, sandboxApi, context }: {
    readonly persona: string;
    readonly sandboxApi: string;
    readonly context: string | undefined;
  },
): string {
  const api = sandboxApi.trim();
  const parts = [
    instructions,
    persona.trim(),
    api === "" ? "" : `## Sandbox API\n\n${api}`,
    (context ?? "").trim(),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}
