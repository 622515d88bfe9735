/**
 * The system prompt. Nothing in it changes from turn to turn or from one run of a session to the next, so that providers can cache it.
 */

const PROTOCOL =
  `You solve tasks by writing JavaScript that is run for you. Reply with exactly one block that defines \`run\`:

\`\`\`javascript
// count the even numbers
function run(args) {
  const even = [1, 2, 3, 4].filter((n) => n % 2 === 0);
  log("even:", even.length);
  return { even };
}
\`\`\`

Then stop: the next message shows you what happened. Do the task in one block, or in several turns.
- What \`run\` returns is \`args\` of your next block, complete. Only \`args\` survives a turn: variables and functions are gone, define them again.
- You do not see returned data. You see your \`log()\` lines and a short digest of its shape. Log little: counts, a sample, the fields you need.
- If \`run\` returns nothing or fails, \`args\` stays as it was. After an error, fix the cause and send the whole block again.
- \`answer(result)\` inside \`run\` gives the final answer to the user and ends the task. Text is shown as it is, other values as JSON. Compute it in code; never guess it.
- Functions of the sandbox API return their value directly in \`function run\`. In \`async function run\` they return promises: use await, Promise.all.
- Plain modern JavaScript only: no import, no Node modules, no fetch, unless the sandbox API declares it.
- A reply without a block is taken as the final answer.`;

/**
 * The protocol: how a model is to reply, what of its work survives a turn and how it ends a run. It lists no functions beside `log` and
 * `answer`; those come with the sandbox.
 */
export function textEmissionSystemPrompt(): string {
  return PROTOCOL;
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
  const api = sandboxApi.trim();
  const parts = [
    textEmissionSystemPrompt(),
    persona.trim(),
    api === "" ? "" : `## Sandbox API\n\n${api}`,
    (context ?? "").trim(),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}
