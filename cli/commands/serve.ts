/**
 * `serve`: answers messages over HTTP until it is told to stop. This file puts the parts together; each is in `cli/serve/`.
 */
import { artifactParts } from "../artifact_parts.ts";
import { joinParts } from "../callable_parts.ts";
import { webhookChannels } from "../channels.ts";
import type { CommandContext, Outcome } from "../command.ts";
import { openConversation } from "../conversation.ts";
import { eventLine } from "../event_line.ts";
import { describeFailure, usageError } from "../failure.ts";
import { schedulerParts } from "../schedule_parts.ts";
import { artifactRoute } from "../serve/artifacts.ts";
import { isLoopback, isOwnHost, listenAddress, urlHost } from "../serve/address.ts";
import type { StreamedLine } from "../serve/event_stream.ts";
import { listen, requireListening } from "../serve/listen.ts";
import { runMaker } from "../serve/make_run.ts";
import { messageRoutes } from "../serve/message_route.ts";
import { PLAIN_HEADERS } from "../serve/refusal.ts";
import { createRouter, type OpenRoute } from "../serve/router.ts";
import { startServedScheduler } from "../serve/scheduler.ts";
import { sessionRoutes } from "../serve/session_routes.ts";
import { createSessionRuns } from "../serve/session_runs.ts";
import { openToken, type ServeToken, TOKEN_VARIABLE } from "../serve/token.ts";
import { hasRoomForFunctions } from "../small_window.ts";
import { pathOf } from "../store_access.ts";
import { oneLine } from "../terminal_text.ts";
import { callWaitedAt } from "../waiting_session.ts";

/** Sessions that are answered at once, unless told otherwise: each run may have a process at work. */
const DEFAULT_MAX_RUNS = 4;
/** Time that runs get when the server is to stop, unless told otherwise. Service managers wait 10 s and more. */
const DEFAULT_GRACE_MS = 8_000;

const HEALTH: OpenRoute = {
  prefix: "/health",
  handle: () =>
    new Response("ok\n", { headers: { ...PLAIN_HEADERS, "content-type": "text/plain" } }),
};

/** Runs `serve`. */
export async function serve(context: CommandContext): Promise<Outcome> {
  const { options, output, status, interrupt } = context;
  checkUse(context);
  const wanted = listenAddress(options);
  requireListening(wanted);
  const channels = await webhookChannels(context);
  const token = openToken(options.ephemeral ? undefined : pathOf(options));
  await using conversation = await openConversation(context, {
    severalMessages: true,
    unattended: true,
    withheld: [token.value],
    bring(store) {
      const artifacts = artifactParts(store, (host) => isOwnHost(host, server.address));
      const names = channels.map(({ name }) => name);
      const parts = joinParts([artifacts, schedulerParts(store, { options, channels: names })]);
      return hasRoomForFunctions(options) ? parts : { ...parts, capabilities: [] };
    },
  });
  const { store, redactor } = conversation;
  const runs = createSessionRuns({ maxRuns: options.maxRuns ?? DEFAULT_MAX_RUNS });
  const makeRun = runMaker(conversation, interrupt);
  const onFailure = (error: unknown) => {
    const { message } = describeFailure(error);
    status.warning(oneLine(`a request failed: ${redactor.redact(message)}`, 400));
  };
  const router = createRouter({
    address: () => server.address,
    token: token.value,
    routes: [
      ...sessionRoutes({ store, redactor, runs }),
      ...messageRoutes({
        runs,
        makeRun,
        waitsAt: (sessionId) => callWaitedAt(store, sessionId),
        lineOf: (event) => eventLine(event) as StreamedLine,
        onEnd: (text) => onEnd(text),
        onFailure,
      }),
    ],
    openRoutes: [HEALTH, artifactRoute(store)],
    onFailure,
  });
  const tell = (text: string) => status.line(oneLine(redactor.redact(text), 300), "dim");
  const onEnd = (text: string) => {
    tell(text);
    // What the run has scheduled may be due before the next look.
    scheduler.wake();
  };
  const server = listen(wanted, router);
  const url = `http://${urlHost(server.address)}`;
  if (!isLoopback(wanted.hostname)) {
    status.warning(
      `${wanted.hostname} is not this machine alone: whoever reaches it and has the token can do all that this command may, and nothing is encrypted on the way.`,
    );
  }
  output.text(`Listening on ${url}\n${tokenText(token)}\n`);
  output.line({ type: "listening", url, token_file: fileOf(token) ?? null });

  const graceMs = options.graceMs ?? DEFAULT_GRACE_MS;
  const parts = { store, runs, makeRun, output, status, redactor, channels, graceMs };
  const scheduler = startServedScheduler(parts);

  await ended(interrupt.signal);
  status.line("Stopping: runs that are under way get time to end.", "dim");
  await Promise.all([server.close(runs.stop(graceMs)), scheduler.stop()]);
  return { exitCode: interrupt.exitCode ?? 130, status: "error", reason: "aborted" };
}

function checkUse({ words, options }: CommandContext): void {
  if (words.length > 0) throw usageError("serve takes no message; they come over HTTP", "serve");
  if (options.approve === "prompt" || options.approve === "stdio") {
    throw usageError("serve has nobody to ask: it takes --approve auto, deny or wait", "serve");
  }
}

/** Without a file or a variable there is no other place to tell a token. */
function tokenText(token: ServeToken): string {
  const file = fileOf(token);
  if (file !== undefined) return `The token is in ${file}`;
  if (token.from === "variable") return `The token is that of ${TOKEN_VARIABLE}`;
  return `The token, for as long as this runs: ${token.value}`;
}

function fileOf({ from }: ServeToken): string | undefined {
  return typeof from === "object" ? from.file : undefined;
}

function ended(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) =>
    signal.addEventListener("abort", () => resolve(), { once: true })
  );
}
