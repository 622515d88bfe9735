/**
 * `POST /sessions/ID/messages`: answers one message, and sends the events of the run as they happen. The client that goes away ends the run.
 */
import type { RunEvent } from "../../contracts/event.ts";
import type { JsonValue } from "../../contracts/json.ts";
import { formatDuration } from "../units.ts";
import { openEventStream, type StreamedLine } from "./event_stream.ts";
import { readJsonBody } from "./json_body.ts";
import { PLAIN_HEADERS, Refusal } from "./refusal.ts";
import type { Route } from "./router.ts";
import type { SessionRuns } from "./session_runs.ts";

/** Bytes of a body at most: 1 MiB, beyond what models take. */
const MAX_BODY_BYTES = 1024 * 1024;
/** Time for a body to come, in ms. */
const BODY_TIMEOUT_MS = 30_000;

/** What a client asks for. */
export interface AskedRun {
  /** The session. */
  readonly sessionId: string;
  /** The message. */
  readonly message: string;
  /** Model calls at most; never more than the server's own bound. */
  readonly maxSteps?: number;
  /** Wall time in ms; never more than the server's own bound. */
  readonly timeoutMs?: number;
}

/** Makes a run: resolves with its result line, and never rejects. */
export type MakeRun = (
  asked: AskedRun & { readonly signal: AbortSignal; readonly onEvent: (event: RunEvent) => void },
) => Promise<JsonValue>;

/** What the route is made of. */
export interface MessageRouteOptions {
  /** The places for runs. */
  readonly runs: SessionRuns;
  /** Makes them. */
  readonly makeRun: MakeRun;
  /** An event as it leaves the process. */
  readonly lineOf: (event: RunEvent) => JsonValue;
  /** Is told how each run ended. */
  readonly onEnd: (text: string) => void;
}

/** Makes the route. */
export function messageRoute(options: MessageRouteOptions): Route {
  return {
    method: "POST",
    path: "/sessions/:id/messages",
    async handle(request, { sessionId }) {
      const asked = askedIn(
        await readJsonBody(request, { maxBytes: MAX_BODY_BYTES, timeoutMs: BODY_TIMEOUT_MS }),
      );
      const place = options.runs.take(sessionId);
      const stream = openEventStream();
      const run = async () => {
        using _place = place;
        const startedAt = performance.now();
        const result = await options.makeRun({
          ...asked,
          sessionId,
          signal: AbortSignal.any([place.signal, stream.gone]),
          onEvent: (event) => stream.send(options.lineOf(event) as StreamedLine),
        });
        stream.send(result as StreamedLine);
        stream.end();
        const took = formatDuration(performance.now() - startedAt);
        options.onEnd(`session ${sessionId}: ${(result as StreamedLine).status} in ${took}`);
      };
      void run();
      return new Response(stream.body, {
        headers: {
          ...PLAIN_HEADERS,
          "content-type": "text/event-stream; charset=utf-8",
          // Proxies that hold events back to send several at once are asked not to.
          "x-accel-buffering": "no",
        },
      });
    },
  };
}

function askedIn(body: Readonly<Record<string, unknown>>): Omit<AskedRun, "sessionId"> {
  const { message, max_steps, timeout_ms, ...rest } = body;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) {
    throw new Refusal(
      "bad_request",
      `${JSON.stringify(unknown.slice(0, 60))} is no field; message, max_steps and timeout_ms are.`,
    );
  }
  if (typeof message !== "string" || message.trim() === "") {
    throw new Refusal("bad_request", "message must be a text that is not empty.");
  }
  return {
    message: message.trim(),
    ...(max_steps === undefined ? {} : { maxSteps: count("max_steps", max_steps) }),
    ...(timeout_ms === undefined ? {} : { timeoutMs: count("timeout_ms", timeout_ms) }),
  };
}

function count(name: string, value: unknown): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 1) return value;
  throw new Refusal("bad_request", `${name} must be a whole number of at least 1.`);
}
