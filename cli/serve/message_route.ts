/**
 * `POST /sessions/ID/messages` and `/decisions`: answers one message, or goes on behind a call that waits, and sends the events of the run as they happen. The client that
 * goes away ends the run, unless it said that it would not wait.
 */
import type { RunEvent } from "../../contracts/event.ts";
import { formatDuration } from "../units.ts";
import { type AskedRun, decisionIn, messageIn } from "./asked_run.ts";
import { openEventStream, type StreamedLine } from "./event_stream.ts";
import { readJsonBody } from "./json_body.ts";
import { jsonReply, PLAIN_HEADERS, Refusal } from "./refusal.ts";
import type { Route } from "./router.ts";
import type { RunPlace, SessionRuns } from "./session_runs.ts";

/** Bytes of a body at most: 1 MiB, beyond what models take. */
const MAX_BODY_BYTES = 1024 * 1024;
/** Time for a body to come, in ms. */
const BODY_TIMEOUT_MS = 30_000;

/** Makes a run: resolves with its result line, and never rejects. */
export type MakeRun = (
  asked: AskedRun & { readonly signal: AbortSignal; readonly onEvent: (event: RunEvent) => void },
) => Promise<StreamedLine>;

/** What the routes are made of. */
export interface MessageRouteOptions {
  /** The places for runs. */
  readonly runs: SessionRuns;
  /** Makes them. */
  readonly makeRun: MakeRun;
  /** The id of the call that a session waits at; nothing where it waits at none, or is not there. */
  readonly waitsAt: (sessionId: string) => Promise<string | undefined>;
  /** An event as it leaves the process. */
  readonly lineOf: (event: RunEvent) => StreamedLine;
  /** Is told how each run ended. */
  readonly onEnd: (text: string) => void;
  /** Takes what failed where nobody could be answered. */
  readonly onFailure: (error: unknown) => void;
}

/** Makes both routes. */
export function messageRoutes(options: MessageRouteOptions): readonly Route[] {
  return [
    runRoute(options, { path: "/sessions/:id/messages", askedIn: messageIn }),
    runRoute(options, { path: "/sessions/:id/decisions", askedIn: decisionIn }),
  ];
}

function runRoute(
  options: MessageRouteOptions,
  { path, askedIn }: { readonly path: string; readonly askedIn: typeof messageIn },
): Route {
  return {
    method: "POST",
    path,
    async handle(request, { sessionId }) {
      const asked = askedIn(
        await readJsonBody(request, { maxBytes: MAX_BODY_BYTES, timeoutMs: BODY_TIMEOUT_MS }),
      );
      const place = options.runs.take(sessionId);
      try {
        await checkWait({ ...asked, sessionId }, options);
      } catch (error) {
        place[Symbol.dispose]();
        throw error;
      }
      const begin = (onLine: (line: StreamedLine) => void, ...ends: readonly AbortSignal[]) =>
        run({ ...asked, sessionId }, { ...options, place, onLine, ends }).catch(options.onFailure);
      if (wantsNoAnswer(request)) {
        void begin(() => {});
        return jsonReply({ session_id: sessionId }, {
          status: 202,
          headers: {
            "location": `/sessions/${encodeURIComponent(sessionId)}`,
            "preference-applied": "respond-async",
          },
        });
      }
      const stream = openEventStream();
      void begin((line) => stream.send(line), stream.gone).then(() => stream.end());
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

/** A word on a call that is not waited at any more is told at once, and begins no run. */
async function checkWait(
  asked: AskedRun,
  { waitsAt }: Pick<MessageRouteOptions, "waitsAt">,
): Promise<void> {
  if (!("callId" in asked)) return;
  const waited = await waitsAt(asked.sessionId);
  if (waited === undefined) throw new Refusal("not_waiting", "The session waits for no word.");
  if (waited !== asked.callId) {
    throw new Refusal("not_waiting", "The session waits for a word on another call.");
  }
}

/** Makes one run in its place, and tells its events and then its result. */
async function run(
  asked: AskedRun,
  { makeRun, lineOf, onEnd, place, onLine, ends }: MessageRouteOptions & {
    readonly place: RunPlace;
    readonly onLine: (line: StreamedLine) => void;
    readonly ends: readonly AbortSignal[];
  },
): Promise<void> {
  using _place = place;
  const startedAt = performance.now();
  const result = await makeRun({
    ...asked,
    signal: AbortSignal.any([place.signal, ...ends]),
    onEvent: (event) => onLine(lineOf(event)),
  });
  onLine(result);
  const took = formatDuration(performance.now() - startedAt);
  onEnd(`session ${asked.sessionId}: ${result.status} in ${took}`);
}

/** RFC 7240: the client does not wait, and reads later what came of it. */
function wantsNoAnswer({ headers }: Request): boolean {
  return (headers.get("prefer") ?? "").split(",").some((one) =>
    one.trim().toLowerCase() === "respond-async"
  );
}
