/**
 * The converter process: reads texts from stdin, converts one after the other, writes results to stdout. It was given no permission, and it has nothing but
 * the texts of one run. It ends with its stdin; its watchdog ends it when a conversion takes too long or the parent is gone.
 */
import process from "node:process";
import { bodyText, createFrameReader, encodeFrame, type HostMessage } from "../../../channel.ts";
import { startWatchdog, type Watchdog } from "../../../guest/watchdog.ts";
import type { ConversionTask, ConverterReply, ConverterRequest } from "./message.ts";

/** What a converter must not have. Imports are bounded by what is cached: the converter itself is one. */
const PERMISSIONS = ["read", "write", "net", "env", "sys", "run", "ffi"] as const;

function isGranted(name: typeof PERMISSIONS[number]): boolean {
  return Deno.permissions.querySync({ name }).state === "granted";
}

/** Serves the parent until stdin ends, then ends the process. */
export async function runConverter(): Promise<never> {
  const granted = PERMISSIONS.filter((name) => isGranted(name));
  if (granted.length > 0) throw new Error(`the converter was given permissions: ${granted}`);
  // The YAML package asks the environment whether to log, and asking takes a permission.
  process.env = {};
  const watchdog = startWatchdog();
  const reader = createFrameReader<ConverterRequest>(() => Infinity);
  const piece = new Uint8Array(65_536);
  for (;;) {
    const count = await Deno.stdin.read(piece);
    if (count === null) Deno.exit(0);
    const requests: { readonly request: ConverterRequest; readonly text: string }[] = [];
    reader.push(piece.subarray(0, count), ({ message, body }) => {
      // A byte order mark is none of the document's.
      requests.push({ request: message, text: bodyText(body).replace(/^\ufeff/, "") });
    });
    for (const { request, text } of requests) await serve(request, { text, watchdog });
  }
}

async function serve(
  request: ConverterRequest,
  given: { readonly text: string; readonly watchdog: Watchdog },
): Promise<void> {
  const { id, task, timeoutMs, maxOutputBytes } = request;
  try {
    const convert = await loadConversion(task);
    send({ type: "started", id });
    given.watchdog.enter(id, timeoutMs);
    const result = convert(given.text);
    given.watchdog.leave();
    const bytes = new TextEncoder().encode(result).length;
    if (bytes > maxOutputBytes) send({ type: "large", id, bytes });
    else send({ type: "done", id }, result);
  } catch (error) {
    given.watchdog.leave();
    send({ type: "failed", id, message: error instanceof Error ? error.message : String(error) });
  }
}

/** Each kind of conversion loads its packages when it is first asked for. */
async function loadConversion(task: ConversionTask): Promise<(text: string) => string> {
  switch (task.type) {
    case "html": {
      const { htmlToMarkdown } = await import("./html/html_to_markdown.ts");
      return htmlToMarkdown;
    }
    case "markdown": {
      const { readMarkdown } = await import("./markdown/read_markdown.ts");
      return (text) => JSON.stringify(readMarkdown(text, task.part));
    }
  }
}

function send(message: ConverterReply, body?: string): void {
  // The channel's frames carry any message; their type names only those of the guest.
  const frame = encodeFrame(message as unknown as HostMessage, body);
  for (let at = 0; at < frame.length;) at += Deno.stdout.writeSync(frame.subarray(at));
}

if (import.meta.main) await runConverter();
