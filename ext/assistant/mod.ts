/**
 * What a personal assistant needs beside a loop: it knows the time, it is told how to use its tools, its last turn is for an answer, and what it claims to have done is
 * held against the calls that it made. Needs no permission.
 *
 * @example
 * ```ts
 * import { buildEffectiveSystemPrompt, formatTemporalContext } from "@agentloop/core/ext/assistant";
 *
 * const temporal = formatTemporalContext(new Date("2026-09-27T22:15:00Z"), "America/Sao_Paulo");
 * const prompt = buildEffectiveSystemPrompt("You are a personal assistant.", "", temporal);
 * console.assert(prompt.includes("Sunday, 2026-09-27 19:15:00 -0300"));
 * ```
 *
 * @module
 */
export { type Assistant, type AssistantOptions, createAssistant } from "./assistant.ts";
export { DEFAULT_ASSISTANT_ITERATIONS } from "./iterations.ts";
export { formatTemporalContext, type TemporalOptions } from "./temporal_context.ts";
export { buildEffectiveSystemPrompt, type EffectivePromptOptions } from "./layers.ts";
export { type GuidelineOptions, toolGuidelines } from "./guidelines.ts";
export { type ClaimReviewOptions, type IsKnownAddress, reviewClaims } from "./claim_review.ts";
export { type DeedMap, type DeedProof, DEFAULT_DEEDS } from "./deeds.ts";
export type { DeedKind } from "./claims/claim_language.ts";
export { type ClaimLanguageName, findClaims, type FoundClaim } from "./claims/find_claims.ts";
export { findAddresses } from "./claims/find_addresses.ts";
export type { CallLog, CallRow } from "../../contracts/call_log.ts";
export type { AnswerObjection, AnswerReview, AnswerToReview } from "../../contracts/review.ts";
export type { LoopConfig, RunRequest } from "../../contracts/loop.ts";
export type { RunStep, StepStore } from "../../contracts/step.ts";
