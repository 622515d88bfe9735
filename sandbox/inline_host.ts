/**
 * The inline host: the same guest runtime in the calling process, for where no process can be started. Asked for by name, since it gives up
 * two walls: code that broke out of the engine would have the program's own permissions, and a script that sits in a builtin
 * which never polls cannot be ended. Realm, limits, memory cap and the gate are the same.
 */
import { AgentLoopError } from "../contracts/errors.ts";
import type { EvaluateRequest, Execution, HostCall } from "../contracts/sandbox.ts";
import { answerCall } from "./answer_call.ts";
import type { GuestReply } from "./guest/execution.ts";
import { failureFor } from "./guest/failure.ts";
import type { GuestRuntime } from "./guest/runtime.ts";
import { disposedHost, type GuestLease, type LeaseOptions, type SandboxHost } from "./host.ts";
import { failedExecution, refuseLargeSource } from "./source_limit.ts";

/** Makes a host that runs guests in this process. Owned by the caller; disposing it lets the event loop end. */
export function createInlineHost(): SandboxHost {
  let runtime: Promise<GuestRuntime> | undefined;
  const closed = new AbortController();
  const start = (options: LeaseOptions): Promise<GuestRuntime> => {
    runtime ??= loadRuntime(options);
    // Tried again by the next script: what fails here may be a passing lack of memory.
    runtime.catch(() => runtime = undefined);
    return runtime;
  };
  return {
    lease(options): GuestLease {
      if (closed.signal.aborted) throw disposedHost();
      const ended = new AbortController();
      let { packs } = options;
      const disposed = AbortSignal.any([ended.signal, closed.signal]);
      return {
        warmUp() {
          if (disposed.aborted) return;
          start(options).then((started) => started.prepare(options.limits, packs), () => {});
        },
        usePacks: (others) => packs = others,
        async evaluate(request) {
          if (closed.signal.aborted) throw disposedHost();
          if (ended.signal.aborted) {
            throw new TypeError("The sandbox was disposed; build another one.");
          }
          const signal = AbortSignal.any([disposed, ...request.signal ? [request.signal] : []]);
          return refuseLargeSource(request, options.limits) ??
            await runInline(await start(options), { ...request, signal }, { ...options, packs });
        },
        [Symbol.asyncDispose]() {
          ended.abort();
          return Promise.resolve();
        },
      };
    },
    async [Symbol.asyncDispose]() {
      closed.abort();
      (await runtime?.catch(() => undefined))?.close();
    },
  };
}

async function loadRuntime({ limits }: LeaseOptions): Promise<GuestRuntime> {
  try {
    const { createGuestRuntime } = await import("./guest/runtime.ts");
    return await createGuestRuntime(limits);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new AgentLoopError(`The script engine could not be started: ${reason}`, {
      code: "sandbox_start",
      cause: error,
    });
  }
}

/** Runs one script; settles when it ends, or at once when the signal ends. */
function runInline(
  runtime: GuestRuntime,
  request: EvaluateRequest,
  { limits, packs }: LeaseOptions,
): Promise<Execution> {
  const { signal, now } = request;
  if (signal?.aborted) {
    return Promise.resolve(failedExecution(request, failureFor("cancelled", limits)));
  }
  return new Promise((resolve, reject) => {
    const calls = new AbortController();
    let answerJson: string | undefined;

    function end(execution: Omit<Execution, "answerJson">): void {
      signal?.removeEventListener("abort", cancel);
      calls.abort();
      resolve({ ...execution, ...(answerJson !== undefined && { answerJson }) });
    }
    function cancel(): void {
      running.cancel();
      end(failedExecution(request, failureFor("cancelled", limits)));
    }
    async function call(sequence: number, name: string, argsJson: string): Promise<GuestReply> {
      const call: HostCall = { name, argsJson, sequence, signal: calls.signal };
      const reply = await answerCall(call, request, limits);
      return { ...reply, nowMs: now().getTime() };
    }

    const running = runtime.start({
      source: request.source,
      ...(request.argsJson !== undefined && { argsJson: request.argsJson }),
      seed: request.seed,
      nowMs: now().getTime(),
      limits,
      packs,
    }, {
      call,
      answer: (json) => void (answerJson ??= json),
      enter() {},
      leave() {},
    });
    signal?.addEventListener("abort", cancel);
    running.done.then((execution) => {
      end(execution);
      runtime.tidy();
    }, reject);
  });
}
