/**
 * An engine for agents that think by writing JavaScript: each turn the model writes one script, which runs in a sandbox; what it returns
 * is the next script's argument, and never enters the prompt.
 *
 * Importing this module needs no permission, and loads neither SQLite nor a package. A run needs `--allow-run` for the runtime's own path,
 * since scripts run in a process of their own.
 *
 * @example
 * ```ts no-run
 * import { createLoop, DefaultSandboxBuilder, MemoryStore } from "@agentloop/core";
 * import { configFromEnv, createOpenAIClient } from "@agentloop/core/llm/openai";
 *
 * const store = new MemoryStore();
 * await using sandboxBuilder = new DefaultSandboxBuilder();
 * const loop = createLoop({
 *   llm: createOpenAIClient(configFromEnv()),
 *   sessions: store,
 *   steps: store,
 *   sandboxBuilder,
 * });
 * const { finalText, error } = await loop.run({ sessionId: "s1", message: "What is 12 * 7?" });
 * console.log(error?.message ?? finalText);
 * ```
 *
 * @module
 */
export { createLoop } from "./loop/create_loop.ts";
export {
  DEFAULT_HISTORY_WINDOW,
  DEFAULT_MAX_ITERATIONS,
  DEFAULT_RUN_TIMEOUT_MS,
  DEFAULT_TOOL_ITERATIONS,
  type Loop,
  type LoopConfig,
  type LoopProtocol,
  type ResumeRequest,
  type RunRequest,
  type RunResult,
  type RunStream,
} from "./contracts/loop.ts";
export type { AnswerObjection, AnswerReview, AnswerToReview } from "./contracts/review.ts";

export type { CallableTool, ToolExpander, ToolSearch, ToolSet } from "./contracts/tool.ts";
export type { JsonValue } from "./contracts/json.ts";
export type { Scope } from "./contracts/scope.ts";
export {
  AgentLoopError,
  type AgentLoopErrorOptions,
  EmptyResponseError,
  type ErrorCode,
} from "./contracts/errors.ts";
export type {
  CallTokens,
  RunEvent,
  RunEventBase,
  RunEventBody,
  RunSummary,
} from "./contracts/event.ts";
export type {
  Client,
  Completion,
  CompletionRequest,
  FinishReason,
  Message,
  ModelToolCall,
  TokenUsage,
  ToolArgumentsFault,
  ToolChoice,
  ToolDeclaration,
} from "./contracts/model.ts";

export type {
  FinalizeSummary,
  RunStatus,
  Session,
  SessionCatalog,
  SessionListing,
  SessionStore,
} from "./contracts/session.ts";
export {
  type NewRunStep,
  type RunStep,
  STEP_TYPE_SUMMARY,
  type StepStore,
  type StepType,
} from "./contracts/step.ts";
export { MemoryStore, type MemoryStoreOptions } from "./stores/memory.ts";

export type {
  ApprovalDecision,
  ApprovalRequest,
  Approve,
  PendingApproval,
} from "./contracts/approval.ts";
export type {
  CallDecision,
  CallEnded,
  CallLog,
  CallRow,
  CallRowOutcome,
  CallStart,
} from "./contracts/call_log.ts";
export type { LongResult, ResultStore } from "./contracts/long_result.ts";
export {
  type Artifact,
  type ArtifactAccess,
  type ArtifactInfo,
  type ArtifactOwner,
  type ArtifactStore,
  MAX_ARTIFACT_BYTES,
  MAX_ARTIFACT_FILENAME_BYTES,
  MAX_ARTIFACT_TITLE_BYTES,
  MAX_ARTIFACT_VERSIONS,
  MAX_SESSION_ARTIFACT_BYTES,
  MAX_SESSION_ARTIFACTS,
  type NewArtifact,
} from "./contracts/artifact.ts";
export {
  EventConflictError,
  type EventLog,
  type EventRecord,
  type EventSink,
  type StreamEvent,
} from "./contracts/event_log.ts";
export { findPendingApproval } from "./loop/find_pending_approval.ts";
export { rebuildResult, type RebuiltResult } from "./loop/rebuild_result.ts";
export {
  DEFAULT_RECALLED_FACTS,
  type Fact,
  type FactOwner,
  type FactStore,
  MAX_FACT_BYTES,
  MAX_FACT_TAG_BYTES,
  MAX_FACT_TAGS,
  MAX_FACTS,
  MAX_RECALLED_FACTS,
  type NewFact,
} from "./contracts/fact.ts";
export type { Channel, ChannelMessage, Delivery } from "./contracts/channel.ts";
export {
  type ClaimedOccurrence,
  type ClaimRequest,
  type ExecutionMode,
  type Lease,
  MAX_KEPT_ENDED,
  MAX_SESSION_TASKS,
  MAX_TASK_RULE_BYTES,
  MAX_TASK_TEXT_BYTES,
  MAX_TASK_TITLE_BYTES,
  type NewTask,
  type Occurrence,
  type OccurrenceEnd,
  type OccurrenceEnding,
  occurrenceId,
  type OccurrenceState,
  OWN_MESSAGE_TARGET,
  type ScheduledTask,
  type ScheduleStore,
  type TaskKind,
  type TaskOutcome,
  type TaskState,
} from "./contracts/schedule.ts";
export type { Grant, GrantStore } from "./contracts/grant.ts";
export type {
  DistilledRun,
  DistillRun,
  FinishedRun,
  MemoryMessage,
  MemoryRole,
  MemorySink,
  RunMemory,
} from "./contracts/memory.ts";
export { modelDistiller, type ModelDistillerOptions } from "./loop/model_distiller.ts";
export { Redactor, type RedactorOptions } from "./redact/redactor.ts";
export type { RedactionStream, TextRedactor } from "./contracts/redaction.ts";
export type {
  ModelPrice,
  PriceTable,
  RunLimits,
  ScopeLimits,
  Spend,
  SpendLedger,
  SpendLimits,
} from "./contracts/limits.ts";
export { createFallbackClient, type FallbackModel } from "./llm/fallback.ts";
export { friendlyError } from "./llm/friendly_error.ts";
export type {
  JournalCall,
  KeptScript,
  ScriptClaim,
  ScriptJournal,
} from "./contracts/script_journal.ts";
export type { Secret, SecretRequest, SecretSource, SecretUse } from "./contracts/secret.ts";
export type { CallAim, PolicyCall, PolicyChecker, PolicyDecision } from "./contracts/policy.ts";
export { AllowAll, DefaultPolicy, type DefaultPolicyOptions } from "./loop/policy.ts";

export {
  type BuildContext,
  type CallContext,
  type Capability,
  DEFAULT_SANDBOX_LIMITS,
  type DocumentFiles,
  type EvaluateRequest,
  type Execution,
  type ExecutionFailure,
  type FailureKind,
  type HostCall,
  type HostCallHandler,
  type HostFunction,
  type HostReply,
  type Pack,
  type PackDocument,
  type ReplyText,
  type Sandbox,
  type SandboxBuilder,
  type SandboxBuildRequest,
  type SandboxLimits,
} from "./contracts/sandbox.ts";
export {
  DefaultSandboxBuilder,
  type DefaultSandboxBuilderOptions,
} from "./sandbox/default_builder.ts";
export { defaultCapabilities } from "./sandbox/default_capabilities.ts";
export { aiCapability } from "./sandbox/packs/ai/ai_pack.ts";
export {
  fetchCapability,
  type FetchOptions,
  httpCapability,
} from "./sandbox/packs/http/capability.ts";
export type { ConverterOptions } from "./sandbox/packs/converter/converter.ts";
export { htmlToMarkdownCapability } from "./sandbox/packs/html/html_capability.ts";
export { markdownCapability } from "./sandbox/packs/markdown/markdown_capability.ts";
export type { GuestLease, LeaseOptions, SandboxHost } from "./sandbox/host.ts";
export type { GuestPack } from "./sandbox/guest/realm_bridge.ts";
export { createInlineHost } from "./sandbox/inline_host.ts";
export { createProcessHost, type ProcessHostOptions } from "./sandbox/process_host.ts";
export type { ProcessPoolOptions } from "./sandbox/process_pool.ts";
export { SandboxPool, type SandboxPoolOptions } from "./sandbox/sandbox_pool.ts";

export type {
  CompactionCheckpoint,
  CompactOptions,
  Compactor,
  CompactResult,
  ContextBudget,
  TokenEstimator,
} from "./contracts/compaction.ts";
export {
  SummarizingCompactor,
  type SummarizingCompactorOptions,
} from "./loop/summarizing_compactor.ts";
export { DEFAULT_COMPACT_PROMPT, DEFAULT_MERGE_PROMPT } from "./loop/summary_prompts.ts";
export {
  type CompactedSession,
  compactSession,
  type CompactSessionOptions,
} from "./loop/compact_session.ts";
export { type Profile, type ProfiledConfig, profileFor } from "./loop/profile.ts";

export type { Span, SpanAttributes, Tracer } from "./contracts/tracing.ts";

export { extractDoneMarker, extractJsBlock } from "./loop/extract.ts";
export { composeSystemPrompt, textEmissionSystemPrompt } from "./loop/prompt.ts";
export { estimateTokens } from "./loop/tokens.ts";
