/**
 * One script on its way through a guest process: sent, its host calls answered one by one, its outcome awaited.
 * It knows what happened in the script so far, and so what it means when the process goes.
 */
import type {
  EvaluateRequest,
  Execution,
  HostCall,
  HostReply,
  SandboxLimits,
} from "../contracts/sandbox.ts";
import { answerCall } from "./answer_call.ts";
import { bodyText, type GuestMessage } from "./channel.ts";
import { failureFor } from "./guest/failure.ts";
import type { GuestProcess } from "./guest_process.ts";
import { isJson, readGuestWord } from "./guest_word.ts";

/**
 * A cancelled script gets this long to reach a poll before its process is killed. Nobody waits for it but its neighbours, who would lose
 * their own work with the process.
 */
const CANCEL_GRACE_MS = 2_000;

/** How a script's time in a process ended: with an outcome, or with the process gone before the script had reached outside. */
export type ScriptEnd = { readonly execution: Execution } | { readonly again: true };

/** Sends one script and waits for its end. */
export function runScript(
  process: GuestProcess,
  request: EvaluateRequest,
  options: { readonly limits: SandboxLimits; readonly packs: number },
): Promise<ScriptEnd> {
  const { limits } = options;
  const { signal, now } = request;
  return new Promise((resolve) => {
    const calls = new AbortController();
    const clockMs = [now().getTime()];
    let answerJson: string | undefined;
    let hostCalls = 0;
    let grace: ReturnType<typeof setTimeout> | undefined;
    let ended = false;

    function end(result: ScriptEnd): void {
      if (ended) return;
      ended = true;
      signal?.removeEventListener("abort", cancel);
      calls.abort(ENDED);
      resolve(result);
    }
    function endWith(execution: Omit<Execution, "answerJson">): void {
      end({ execution: { ...execution, ...(answerJson !== undefined && { answerJson }) } });
    }
    function endFailed(failure: Execution["failure"]): void {
      endWith({ failure, logs: "", notes: [], guestMs: 0, hostCalls, clockMs });
    }
    /** The caller need not wait for a script that is being ended; its process is watched until it has let go. */
    function cancel(): void {
      process.send({ type: "cancel", id });
      grace = setTimeout(() => process.kill(), CANCEL_GRACE_MS);
      endFailed(failureFor("cancelled", limits));
    }
    function forget(): void {
      clearTimeout(grace);
      process.release(id);
    }

    function onMessage(message: GuestMessage & { readonly id: number }, body: Uint8Array): void {
      switch (message.type) {
        case "call":
          return call(message, body);
        case "answer":
          return takeAnswer(body);
        case "done":
          forget();
          return takeOutcome(message.execution, message.hasValue ? body : undefined);
      }
    }
    function takeAnswer(body: Uint8Array): void {
      const json = body.length <= limits.argsBytes ? bodyText(body) : "";
      if (!isJson(json)) return distrust();
      answerJson ??= json;
    }
    function takeOutcome(said: unknown, body: Uint8Array | undefined): void {
      const fits = body === undefined || body.length <= limits.argsBytes;
      const word = fits ? readGuestWord(said, body && bodyText(body), limits) : undefined;
      if (word === undefined) return distrust();
      endWith({ ...word, hostCalls, clockMs });
    }
    /** A guest that does not keep to the form is not ours any more. */
    function distrust(): void {
      endFailed({ kind: "lost", message: LOST });
      process.kill();
    }

    function call(
      { sequence, name }: GuestMessage & { readonly type: "call" },
      body: Uint8Array,
    ): void {
      if (ended) return;
      // The realm counts and measures too: a guest that goes beyond the bounds was broken.
      const bounded = hostCalls < limits.hostCalls && body.length <= limits.callArgumentBytes;
      const argsJson = bounded ? bodyText(body) : "";
      if (!isCall(sequence, name) || !argsJson.startsWith("[") || !isJson(argsJson)) {
        return distrust();
      }
      hostCalls++;
      const call: HostCall = { name, argsJson, sequence, signal: calls.signal };
      answerCall(call, request, limits).then((reply) => answer(sequence, reply));
    }
    function answer(sequence: number, reply: HostReply): void {
      if (ended) return;
      const nowMs = now().getTime();
      clockMs.push(nowMs);
      const head = { type: "reply", id, sequence, nowMs, ok: reply.ok } as const;
      if (!reply.ok) {
        return process.send({ ...head, name: reply.name, message: reply.message });
      }
      const { json, text } = reply;
      const jsonLength = json?.length;
      if (text === undefined) return process.send({ ...head, jsonLength }, json);
      const body = (json ?? "") + text.value;
      process.send({ ...head, jsonLength, hasText: true, textKey: text.key }, body);
    }

    const id = process.register({
      onMessage,
      onExit(culprit) {
        clearTimeout(grace);
        if (culprit) return endFailed(failureFor("time", limits));
        if (hostCalls === 0 && answerJson === undefined) return end({ again: true });
        endFailed({ kind: "lost", message: LOST });
      },
    });
    if (signal?.aborted) {
      process.release(id);
      return endFailed(failureFor("cancelled", limits));
    }
    signal?.addEventListener("abort", cancel);
    process.send({
      type: "evaluate",
      id,
      source: request.source,
      hasArgs: request.argsJson !== undefined,
      seed: request.seed,
      nowMs: clockMs[0]!,
      limits,
      packs: options.packs,
    }, request.argsJson);
  });
}

function isCall(sequence: unknown, name: unknown): boolean {
  return Number.isSafeInteger(sequence) && typeof name === "string" &&
    name.length <= MAX_NAME_LENGTH;
}

/** The realm calls what packs named; a name is told to listeners whether or not there is such a function. */
const MAX_NAME_LENGTH = 10_000;

/** Why a call's signal ends with its script; made once, since it is needed at the end of every script. */
const ENDED = new DOMException("the script has ended", "AbortError");

/** What the model is told when a script went down with its process. */
export const LOST =
  "the process that ran the script was ended before the script was; what it had called until then may have happened";
