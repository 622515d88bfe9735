/** `proactive_create`, `proactive_list` and `proactive_cancel`: defined once, for scripts and for calls by name. Whether a call may happen is for the gate. */
import { createHash } from "node:crypto";
import { OWN_MESSAGE_TARGET, type ScheduledTask } from "../../contracts/schedule.ts";
import type { CallContext } from "../../contracts/sandbox.ts";
import type { JsonSchema, ToolArguments } from "../../contracts/tool.ts";
import { planTask, type TaskRequest } from "./plan_task.ts";
import { type FilledOptions, SESSION_CHANNEL } from "./scheduler_options.ts";
import { zonedText } from "./zoned_time.ts";

/** One function of the scheduler. It takes one object. */
export interface SchedulerFunction {
  /** Its name. */
  readonly name: string;
  /** What it does, for models. */
  readonly description: string;
  /** Its arguments. */
  readonly properties: Readonly<Record<string, JsonSchema>>;
  /** Those that must be given. */
  readonly required: readonly string[];
  /** Whether it has consequences. */
  readonly sideEffect: boolean;
  /** What a call is aimed at. */
  readonly target?: (args: ToolArguments) => string;
  /** Shows a person what a call would do. */
  readonly preview?: (args: ToolArguments) => string;
  /** Does it, with arguments that were checked. */
  readonly execute: (args: ToolArguments, context: CallContext) => unknown;
}

const TEXT = { type: "string" } as const;

/** The functions, over what they are given. */
export function schedulerFunctions(options: FilledOptions): readonly SchedulerFunction[] {
  const { schedule, channels } = options;
  return [
    {
      name: "proactive_create",
      description:
        `Schedules a message or an agent run for later. Give one of: at ("2026-03-01T09:00", in the timezone), delay ("2m", "1h30m"), delay_ms, cron (five fields; where day of month and day of week are both set, either is enough) or rrule (RFC 5545; at is then its start). execution_mode: "message" delivers text as it is, "agent" has an agent do what text says. Gives the id and when it is due.`,
      properties: {
        title: TEXT,
        text: TEXT,
        execution_mode: { type: "string", enum: ["message", "agent"] },
        at: TEXT,
        delay: TEXT,
        delay_ms: { type: "integer", minimum: 1 },
        cron: TEXT,
        rrule: TEXT,
        timezone: { type: "string", description: `IANA name; default ${options.timezone}` },
        ...(channels.length > 1 ? { channel: { type: "string", enum: [...channels] } } : {}),
      },
      required: ["text", "execution_mode"],
      sideEffect: true,
      target: (args) => targetOf(args, channels),
      preview: previewOf,
      async execute(args, context) {
        const { task, next, note } = await planTask(args as unknown as TaskRequest, options);
        const kept = await schedule.add({
          ...task,
          text: context.redact(task.text),
          ...(task.title === undefined ? {} : { title: context.redact(task.title) }),
          sessionId: context.sessionId,
          ...(context.scope === undefined ? {} : { scope: context.scope }),
          ...(context.userId === undefined ? {} : { userId: context.userId }),
        });
        return {
          id: kept.id,
          due: next.map((at) => zonedText(at, kept.zone)),
          timezone: kept.zone,
          recurring: kept.kind !== "once",
          ...(note === undefined ? {} : { note }),
        };
      },
    },
    {
      name: "proactive_list",
      description:
        "The scheduled tasks of this conversation: those that wait, the next due first, then those that are over.",
      properties: {},
      required: [],
      sideEffect: false,
      async execute(_args, { sessionId, scope }) {
        const tasks = await schedule.list({ sessionId, limit: 100 });
        return tasks.filter((task) => isOfScope(task, scope)).map(listed);
      },
    },
    {
      name: "proactive_cancel",
      description:
        "Cancels a scheduled task of this conversation. Gives false when none of this id waits.",
      properties: { id: TEXT },
      required: ["id"],
      sideEffect: false,
      target: ({ id }) => String(id),
      async execute({ id }, { sessionId, scope }) {
        const task = await schedule.get(String(id));
        if (task === undefined || task.sessionId !== sessionId || !isOfScope(task, scope)) {
          return false;
        }
        return await schedule.cancel(task.id);
      },
    },
  ];
}

/** A message to the session itself has a name that policies know. Anything else is named by all that was asked for, so that a word once given holds for this alone. */
function targetOf(args: ToolArguments, channels: readonly string[]): string {
  const { execution_mode: mode, text } = args;
  const channel = args.channel ?? channels[0] ?? "";
  if (mode === "message" && channel === SESSION_CHANNEL) return OWN_MESSAGE_TARGET;
  const what = mode === "message" ? `message to ${String(channel)}` : "agent run";
  const mark = createHash("sha256").update(JSON.stringify(args)).digest("hex").slice(0, 16);
  return `${what}: ${String(text).replace(/\s+/g, " ").slice(0, 80)} (${mark})`;
}

function previewOf(args: ToolArguments): string {
  return Object.entries(args).map(([name, value]) => `${name}: ${String(value)}`).join("\n");
}

function isOfScope({ scope: own }: ScheduledTask, scope: ScheduledTask["scope"]): boolean {
  return own?.workspaceId === scope?.workspaceId && own?.projectId === scope?.projectId;
}

function listed(task: ScheduledTask) {
  const { id, title, text, mode, kind, rule, zone, channel, state, nextDueAt, lastOutcome } = task;
  return {
    id,
    ...(title === undefined ? {} : { title }),
    text: text.length > 200 ? `${text.slice(0, 200)}…`.toWellFormed() : text,
    execution_mode: mode,
    ...(kind === "once" ? {} : { [kind]: rule }),
    timezone: zone,
    channel,
    state,
    ...(nextDueAt === undefined ? {} : { due: zonedText(nextDueAt, zone) }),
    ...(lastOutcome === undefined ? {} : {
      last: {
        outcome: lastOutcome.state,
        due: zonedText(lastOutcome.dueAt, zone),
        ...(lastOutcome.detail === undefined ? {} : { detail: lastOutcome.detail }),
      },
    }),
  };
}
