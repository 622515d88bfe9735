/**
 * A sandbox for the tests of this folder: runs scripts with `new Function` in the same realm, without limits. It speaks the contract
 * (JSON text in and out, calls through the handler) and nothing else of the real one; host calls are made from `async function run` only.
 */
import type {
  EvaluateRequest,
  Execution,
  HostFunction,
  Sandbox,
  SandboxBuilder,
  SandboxBuildRequest,
} from "../contracts/sandbox.ts";
import { DEFAULT_SANDBOX_LIMITS, type SandboxLimits } from "../contracts/sandbox.ts";

/** What a fake is made of. */
export interface FakeSandboxOptions {
  readonly prompt?: string;
  readonly functions?: readonly HostFunction[];
  readonly limits?: Partial<SandboxLimits>;
  /** Runs a script in another way; `undefined` leaves it to the fake. */
  readonly evaluate?: (request: EvaluateRequest) => Promise<Execution> | undefined;
  /** Called at each `build`, before the sandbox is made. */
  readonly onBuild?: (request: SandboxBuildRequest) => void | Promise<void>;
  /** Called when the loop warms the sandbox up. */
  readonly onWarmUp?: () => void;
}

/** A builder of fakes, and what became of them. */
export interface FakeSandboxBuilder extends SandboxBuilder {
  built: number;
  disposed: number;
  readonly evaluated: EvaluateRequest[];
}

/** An execution that ended well, with the parts that a test names. */
export function execution(parts: Partial<Execution> = {}): Execution {
  return { logs: "", notes: [], guestMs: 1, hostCalls: 0, clockMs: [], ...parts };
}

/** Creates a builder of fakes. */
export function fakeSandboxBuilder(options: FakeSandboxOptions = {}): FakeSandboxBuilder {
  const functions = new Map(options.functions?.map((one) => [one.name, one]));
  const builder: FakeSandboxBuilder = {
    built: 0,
    disposed: 0,
    evaluated: [],
    async build(request) {
      await options.onBuild?.(request);
      builder.built++;
      const sandbox: Sandbox = {
        prompt: options.prompt ?? "",
        functions,
        limits: { ...DEFAULT_SANDBOX_LIMITS, ...options.limits },
        extend(added) {
          functions.clear();
          for (const one of [...options.functions ?? [], ...added]) functions.set(one.name, one);
        },
        warmUp: () => options.onWarmUp?.(),
        evaluate(evaluation) {
          builder.evaluated.push(evaluation);
          return options.evaluate?.(evaluation) ?? runScript(evaluation, [...functions.keys()]);
        },
        [Symbol.asyncDispose]() {
          builder.disposed++;
          return Promise.resolve();
        },
      };
      return sandbox;
    },
  };
  return builder;
}

async function runScript(request: EvaluateRequest, names: readonly string[]): Promise<Execution> {
  const lines: string[] = [];
  let answerJson: string | undefined;
  let sequence = 0;
  const globals: Record<string, unknown> = {
    log: (...values: unknown[]) => {
      lines.push(values.map((v) => typeof v === "string" ? v : JSON.stringify(v)).join(" "));
    },
    answer: (value: unknown) => {
      answerJson ??= JSON.stringify(value ?? null);
    },
  };
  for (const name of names) {
    globals[name] = async (...args: unknown[]) => {
      const signal = request.signal ?? new AbortController().signal;
      const argsJson = JSON.stringify(args);
      const reply = await request.onCall({ name, argsJson, sequence: sequence++, signal });
      if (!reply.ok) throw Object.assign(new Error(reply.message), { name: reply.name ?? "Error" });
      return reply.json === undefined ? undefined : JSON.parse(reply.json);
    };
  }
  const clockMs = [request.now().getTime()];
  const ended = (parts: Partial<Execution>) =>
    execution({
      logs: lines.join("\n"),
      hostCalls: sequence,
      clockMs,
      ...(answerJson === undefined ? {} : { answerJson }),
      ...parts,
    });
  try {
    const body = `"use strict";\n${request.source}\nreturn run;`;
    const run = new Function(...Object.keys(globals), body)(...Object.values(globals));
    const args = request.argsJson === undefined ? undefined : JSON.parse(request.argsJson);
    const value: unknown = await run(args);
    return ended(value === undefined ? {} : { valueJson: JSON.stringify(value) });
  } catch (error) {
    return ended({ failure: { kind: "threw", message: String(error) } });
  }
}
