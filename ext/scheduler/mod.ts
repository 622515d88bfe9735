/**
 * What is to happen later: tasks that scripts and calls by name make, and what does them when they are due. Over any `ScheduleStore`; several processes may share one.
 *
 * The rules of time: a rule's wall-clock times count in the task's zone, each once. A time that the zone skips is due at the first instant behind the gap; one that it
 * repeats, the first time. What was missed is made up for once, with its lateness told, and then the usual times go on. An occurrence that was begun by a
 * program that died is told of as unknown, and never done again.
 *
 * @example
 * ```ts
 * import { MemoryStore } from "@agentloop/core";
 * import { runDue, sessionChannel } from "@agentloop/core/ext/scheduler";
 *
 * const store = new MemoryStore();
 * await store.schedule.add({
 *   sessionId: "s1", kind: "once", rule: "", zone: "UTC", mode: "message",
 *   text: "The tea is ready.", channel: "session", dueAt: new Date(0),
 * });
 * const [report] = await runDue({ schedule: store.schedule, channels: [sessionChannel({ steps: store })] });
 * console.log(report?.state); // done
 * ```
 *
 * @module
 */
export { sessionChannel } from "./channels/session_channel.ts";
export { stdoutChannel, type StdoutChannelOptions } from "./channels/stdout_channel.ts";
export { webhookChannel, type WebhookChannelOptions } from "./channels/webhook_channel.ts";
export { openRecurrence, type Recurrence, type TaskRule } from "./recurrence.ts";
export { runDue } from "./run_due.ts";
export type {
  AgentOutcome,
  AgentRequest,
  OccurrenceReport,
  RunAgent,
  RunDueOptions,
  SchedulerTimers,
} from "./run_options.ts";
export { schedulerCapability, schedulerPack } from "./scheduler_capability.ts";
export {
  MIN_AGENT_INTERVAL_MS,
  MIN_MESSAGE_INTERVAL_MS,
  type SchedulerOptions,
  SESSION_CHANNEL,
} from "./scheduler_options.ts";
export { schedulerTools } from "./scheduler_tools.ts";
export {
  type RunningScheduler,
  startScheduler,
  type StartSchedulerOptions,
} from "./start_scheduler.ts";
export type { Channel, ChannelMessage, Delivery } from "../../contracts/channel.ts";
export type { Capability, HostFunction, Pack } from "../../contracts/sandbox.ts";
export type {
  ExecutionMode,
  NewTask,
  Occurrence,
  ScheduledTask,
  ScheduleStore,
} from "../../contracts/schedule.ts";
export type { Tool } from "../../contracts/tool.ts";
