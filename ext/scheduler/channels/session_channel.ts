/** The channel into a session: what is due stands in its trace, and the next run sees it. */
import type { Channel, ChannelMessage } from "../../../contracts/channel.ts";
import { ASIDE_ARGS, type NewRunStep, type StepStore } from "../../../contracts/step.ts";
import { dueText } from "../due_text.ts";
import { SESSION_CHANNEL } from "../scheduler_options.ts";

/** Steps in which a message that was delivered before is looked for: enough for what a session does while a program is started again. */
const LOOKED_AT = 200;

/**
 * A channel that appends to the session an exchange of its own: what was due in the user's place, in brackets as the loop's own remarks are, and the text as the
 * answer. The run of these steps is named by the message, so that it stands there once however often it is delivered.
 *
 * @throws {TypeError} when there is no step store.
 */
export function sessionChannel(
  { steps, name = SESSION_CHANNEL }: {
    /** The trace of sessions. */
    readonly steps: StepStore;
    /** The channel's name. @default "session" */
    readonly name?: string;
  },
): Channel {
  if (typeof steps?.lastN !== "function") {
    throw new TypeError("sessionChannel: steps must be a step store; it lacks the method lastN");
  }
  async function hasDelivered(
    { id, sessionId }: Pick<ChannelMessage, "id" | "sessionId">,
  ): Promise<boolean> {
    return (await steps.lastN(sessionId, LOOKED_AT)).some(({ runId }) => runId === id);
  }
  return {
    name,
    hasDelivered,
    async deliver(message) {
      if (await hasDelivered(message)) return { ok: true };
      const exchange = exchangeOf(message);
      if (steps.appendAll === undefined) { for (const step of exchange) await steps.append(step); }
      else await steps.appendAll(exchange);
      return { ok: true };
    },
  };
}

function exchangeOf(message: ChannelMessage): NewRunStep[] {
  const { id, kind, taskId, title, zone, sessionId, text, at } = message;
  const task = { id: taskId, zone, ...(title === undefined ? {} : { title }) };
  const about = kind === "notice" ? "About scheduled" : "Scheduled";
  const shared = { sessionId, runId: id, toolArgs: ASIDE_ARGS, createdAt: at };
  return [
    { ...shared, stepType: "user", content: `[${about} ${dueText(task, message)}]` },
    { ...shared, stepType: "response", content: text },
  ];
}
