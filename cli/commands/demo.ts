/**
 * `demo`: a data job from question to checked answer without a key. The model is recorded; sandbox, session, HTTP and scripts are real.
 */
import type { RunResult } from "../../contracts/loop.ts";
import type { CommandContext, Outcome } from "../command.ts";
import { checkAnswer } from "../demo/answer_check.ts";
import { createRecordedModel, demoQuestion } from "../demo/recorded_model.ts";
import { makeShopData, type ShopData } from "../demo/shop_data.ts";
import { startShopServer } from "../demo/shop_server.ts";
import { showTurns } from "../demo/show_turns.ts";
import { toolTranscriptBytes } from "../demo/tool_transcript.ts";
import { eventLine } from "../event_line.ts";
import { readVariable } from "../environment.ts";
import { CliError, EXIT_ERROR, usageError } from "../failure.ts";
import { isGranted, requirePermissions } from "../permission.ts";
import { outcomeOfRun } from "../run_outcome.ts";
import { checkSessionId } from "../session_id.ts";
import { type OpenStore, openStore } from "../store_access.ts";
import { reasonOf } from "../text_input.ts";
import { formatBytes, formatDuration } from "../units.ts";

/** Runs `demo`. */
export async function demo(context: CommandContext): Promise<Outcome> {
  const { options, words, output, status, interrupt } = context;
  if (words.length > 0) throw usageError("demo takes no message");
  requirePermissions([{ name: "net", host: "127.0.0.1" }], {
    problem: "The demo's API on loopback cannot be served",
  });
  const startedAt = performance.now();
  const [
    { createLoop },
    { DefaultPolicy },
    { DefaultSandboxBuilder },
    { fetchCapability },
  ] = await Promise.all([
    import("../../loop/create_loop.ts"),
    import("../../loop/policy.ts"),
    import("../../sandbox/default_builder.ts"),
    import("../../sandbox/packs/http/capability.ts"),
  ]);
  const data = makeShopData();
  await using shop = startShopServer(data);
  const model = createRecordedModel(shop.baseUrl);
  await using opened = await openDemoStore(options);
  await using sandboxBuilder = new DefaultSandboxBuilder({
    capabilities: [fetchCapability()],
  });
  const { store } = opened;
  const loop = createLoop({
    llm: model,
    sessions: store,
    steps: store,
    calls: store,
    sandboxBuilder,
    policy: new DefaultPolicy({ allowPrivateHosts: [shop.host] }),
  });
  const message = demoQuestion(shop.baseUrl);
  const turns = showTurns(status);
  status.line(
    `The model is recorded; everything else is real. The API is at ${shop.baseUrl}, the session in ${opened.place}.`,
    "dim",
  );
  const result = await loop.run({
    sessionId: options.session === undefined ? "demo" : checkSessionId(options.session),
    message,
    signal: AbortSignal.any([interrupt.signal, output.closed]),
    onEvent(event) {
      turns(event);
      output.line(eventLine(event));
    },
  });
  const outcome = outcomeOfRun(result, { options: { ...options, ephemeral: true }, interrupt });
  if (outcome.failure !== undefined) return outcome;
  const cost = costOf({ message, data, requestBytes: model.requestBytes });
  return judged({ outcome, result, data, cost, durationMs: performance.now() - startedAt });
}

/** Bytes that went into prompts, and what the same job costs as a transcript of tool calls. */
interface Cost {
  readonly requests: number;
  readonly bytes: number;
  readonly toolRequests: number;
  readonly toolBytes: number;
}

function costOf(
  { message, data, requestBytes }: {
    readonly message: string;
    readonly data: ShopData;
    readonly requestBytes: readonly number[];
  },
): Cost {
  const toolRequests = toolTranscriptBytes(message, data);
  return {
    requests: requestBytes.length,
    bytes: sum(requestBytes),
    toolRequests: toolRequests.length,
    toolBytes: sum(toolRequests),
  };
}

function judged(
  { outcome, result, data, cost, durationMs }: {
    readonly outcome: Outcome;
    readonly result: RunResult;
    readonly data: ShopData;
    readonly cost: Cost;
    readonly durationMs: number;
  },
): Outcome {
  const faults = checkAnswer(result.finalText, data);
  const ratio = cost.toolBytes / cost.bytes;
  const extra = {
    check: { ok: faults.length === 0, faults },
    prompt_bytes: cost.bytes,
    tool_transcript_bytes: cost.toolBytes,
    ratio: Math.round(ratio * 10) / 10,
  };
  if (faults.length > 0) {
    const message = `The answer is wrong: ${faults.join("; ")}.`;
    const failure = { type: "check", message, exitCode: EXIT_ERROR, cause: undefined } as const;
    return { ...outcome, exitCode: EXIT_ERROR, status: "error", reason: "check", failure, extra };
  }
  const text = [
    result.finalText,
    "",
    "Checked: a computation of the command's own gives the same ten lines.",
    `Sent to the model:  ${formatBytes(cost.bytes).padStart(9)} in ${cost.requests} requests`,
    `As tool calls:      ${
      formatBytes(cost.toolBytes).padStart(9)
    } in ${cost.toolRequests} requests, ${ratio.toFixed(0)} times as much`,
    `Kept out of the prompts: ${
      formatBytes(result.dataBytesCarried)
    } of working data, summed over the requests`,
    `Took ${formatDuration(durationMs)}.`,
  ].join("\n");
  return { ...outcome, text, extra };
}

interface DemoStore extends OpenStore {
  /** Where the session is kept, in words. */
  readonly place: string;
}

/** A temporary file that is removed at the end, unless the session is to be kept; memory where no such file may be made. */
async function openDemoStore(options: CommandContext["options"]): Promise<DemoStore> {
  if (options.db !== undefined || options.session !== undefined) {
    const opened = await openStore(options);
    return { ...opened, place: opened.path ?? "memory" };
  }
  const temporary = temporaryFolder();
  if (temporary === undefined) return { ...await openStore({ ephemeral: true }), place: "memory" };
  await using cleanup = new AsyncDisposableStack();
  const folder = await makeFolder(temporary);
  cleanup.defer(() => Deno.remove(folder, { recursive: true }));
  const opened = cleanup.use(await openStore({ db: `${folder}/demo.db`, ephemeral: false }));
  const kept = cleanup.move();
  return {
    ...opened,
    place: "a temporary file",
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** The place for temporary files, if the command may use it. */
function temporaryFolder(): string | undefined {
  const windows = Deno.build.os === "windows";
  const path = readVariable(windows ? "TEMP" : "TMPDIR") ?? (windows ? undefined : "/tmp");
  return path !== undefined && isGranted({ name: "read", path }) &&
      isGranted({ name: "write", path })
    ? path
    : undefined;
}

async function makeFolder(dir: string): Promise<string> {
  try {
    return await Deno.makeTempDir({ dir, prefix: "agentloop-demo-" });
  } catch (error) {
    throw new CliError("config", `Cannot make a temporary folder: ${reasonOf(error)}`, {
      cause: error,
      hint: "Let TMPDIR name a folder that can be written, or keep the session with --db PATH.",
    });
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
