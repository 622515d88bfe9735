/**
 * Tells a person what a run does: one short line for each script, call and warning, and at a terminal a live line with turn, elapsed time and tokens.
 * Reads events, writes to stderr through {@linkcode Status}; knows nothing of how the run is made.
 */
import type { CallTokens, RunEvent } from "../contracts/event.ts";
import type { JsonValue } from "../contracts/json.ts";
import type { Status } from "./status.ts";
import { oneLine } from "./terminal_text.ts";
import { countOf, formatBytes, formatCount, formatDuration } from "./units.ts";

/** Columns of what a script said, on the line of its turn. */
const EXCERPT_WIDTH = 100;
/** Calls of one turn that get a line of their own; a script may make a thousand. */
const CALL_LINES = 5;
/** How often the live line is drawn anew, in ms. */
const LIVE_INTERVAL_MS = 200;

/** Follows one run. Disposing takes the live line away. */
export interface Activity extends Disposable {
  /** Takes the next event. Never throws. */
  readonly onEvent: (event: RunEvent) => void;
  /** Draws no live line until the returned object is disposed: somebody is asked something. */
  readonly pause: () => Disposable;
}

/** What the events do not tell. */
export interface FollowOptions {
  /** The clock, in ms. @default performance.now() */
  readonly now?: () => number;
  /** Why the policy let no call with this name and target pass; `undefined` when it is not known. @default never known */
  readonly whyRefused?: (name: string, target?: string) => string | undefined;
}

/** Begins to follow a run that starts now. */
export function followRun(status: Status, options: FollowOptions = {}): Activity {
  const { now = () => performance.now(), whyRefused = () => undefined } = options;
  const startedAt = now();
  let turn = 0;
  let prompt = 0;
  let completion = 0;
  let scriptLines = 0;
  let calls = 0;
  let phase = "starting";
  let streamed = "";

  let pauses = 0;

  function drawLive(): void {
    if (!status.live || pauses > 0) return;
    const figures = [
      ...(turn === 0 ? [] : [`turn ${turn}`]),
      formatDuration(Math.floor((now() - startedAt) / 100) * 100),
      ...tokensTexts({ prompt, completion }),
    ];
    const tail = streamed === "" ? phase : oneLine(streamed.slice(-60), 60);
    status.setLive([...figures, ...(tail === "" ? [] : [tail])].join(" · "));
  }

  function add(tokens: CallTokens): void {
    prompt += tokens.prompt;
    completion += tokens.completion;
  }

  /** What goes on before the first turn belongs to a run that waited. */
  function place(): string {
    return turn === 0 ? "resumed" : `turn ${turn}`;
  }

  function onEvent(event: RunEvent): void {
    switch (event.type) {
      case "user":
        status.detail(`session ${event.sessionId}, run ${event.runId}`);
        break;
      case "turn_start":
        turn = event.turn;
        calls = 0;
        scriptLines = 0;
        streamed = "";
        phase = "asking the model";
        break;
      case "response_chunk":
        streamed = (streamed + event.content).slice(-200);
        break;
      case "response_discarded":
        streamed = "";
        break;
      case "execute_js":
        streamed = "";
        phase = "running the script";
        scriptLines = event.content.trimEnd().split("\n").length;
        status.detail(indent(`turn ${turn}  script`, event.content));
        break;
      case "llm_call":
        streamed = "";
        phase = "calling tools";
        add(event.tokens);
        status.line(
          [`turn ${turn}  ${countOf(event.calls, "call")}`, ...tokensTexts(event.tokens)].join(
            ", ",
          ),
          "dim",
        );
        break;
      case "tool_result": {
        const head = `${place()}  ${oneLine(event.args.name, 80)}`;
        if (status.level === "verbose") status.detail(indent(head, event.content));
        else if (!event.ok) status.line(`${head}: ${excerpt(event.content)}`, "warning");
        break;
      }
      case "sandbox_event":
        calls++;
        if (status.level === "verbose" || calls <= CALL_LINES) {
          const refused = event.args.outcome === "refused";
          status.line(
            `${place()}  ${callText(event.args, whyRefused)}`,
            refused ? "warning" : "dim",
          );
        }
        break;
      case "execute_js_result": {
        phase = "";
        add(event.tokens);
        const figures = [
          event.ok ? "ok" : "failed",
          ...(calls > CALL_LINES ? [countOf(calls, "call")] : []),
          formatDuration(event.durationMs),
          ...tokensTexts(event.tokens),
        ];
        // One that waited was sent in a run before.
        const script = scriptLines === 0 ? "script" : `script of ${countOf(scriptLines, "line")}`;
        const head = `${place()}  ${script}: ${figures.join(", ")}`;
        const tone = event.ok ? "dim" : "warning";
        if (status.level === "verbose") status.line(indent(head, event.content), tone);
        else status.line(`${head} | ${excerpt(event.content)}`, tone);
        break;
      }
      case "data_update":
        if (status.level === "verbose") {
          const bytes = new TextEncoder().encode(JSON.stringify(event.args)).length;
          status.detail(`${place()}  carries ${formatBytes(bytes)} to the next turn`);
        }
        break;
      case "compacted":
        status.line(
          `history summarized: ${event.args.messages_before} messages became ${event.args.messages_after}`,
          "dim",
        );
        break;
      case "budget_trimmed":
        status.line(
          `history trimmed: ${countOf(event.args.messages_dropped, "old message")} left out`,
          "dim",
        );
        break;
      case "response":
        streamed = "";
        phase = "";
        add(event.tokens);
        // An answer that a script gave is on the line of that script.
        if (scriptLines === 0) {
          status.line([`${place()}  answer`, ...tokensTexts(event.tokens)].join(", "), "dim");
        }
        break;
      case "answer_held_back":
        status.line(
          `turn ${turn}  answer held back, nothing shows: ${event.claims.join(", ")}`,
          "warning",
        );
        break;
      case "answer_flagged":
        // The sentence itself stands at the end of the answer, in its language.
        status.warning(`the answer is flagged, nothing shows: ${event.claims.join(", ")}`);
        break;
      case "warning":
        status.warning(event.content);
        break;
      case "error":
      case "done":
        break;
    }
    drawLive();
  }

  drawLive();
  const timer = status.live ? setInterval(drawLive, LIVE_INTERVAL_MS) : undefined;
  return {
    onEvent,
    pause() {
      pauses++;
      status.setLive();
      return {
        [Symbol.dispose]() {
          pauses--;
          drawLive();
        },
      };
    },
    [Symbol.dispose]() {
      clearInterval(timer);
      status.setLive();
    },
  };
}

/** Tokens for people, the cached part where it is known; nothing where the provider did not tell any. */
export function tokensTexts(tokens: CallTokens): string[] {
  if (tokens.prompt + tokens.completion === 0) return [];
  const cached = tokens.cached === undefined || tokens.cached === 0
    ? ""
    : ` (${formatCount(tokens.cached)} cached)`;
  return [`${formatCount(tokens.prompt)}${cached} + ${formatCount(tokens.completion)} tokens`];
}

function callText(
  args: { readonly [key: string]: JsonValue },
  whyRefused: NonNullable<FollowOptions["whyRefused"]>,
): string {
  if (args.kind === "facts_distilled" && typeof args.facts === "number") {
    return `${countOf(args.facts, "fact")} remembered`;
  }
  const text = (key: string) => typeof args[key] === "string" ? oneLine(args[key], 80) : undefined;
  const why = args.outcome === "refused" ? refusedBecause(args, whyRefused) : undefined;
  const parts = [
    [text("name") ?? text("kind") ?? "event", text("target")].filter(Boolean).join(" "),
    text("outcome"),
    typeof args.duration_ms === "number" ? formatDuration(args.duration_ms) : undefined,
    text("message") ?? text("reason") ?? (why === undefined ? undefined : oneLine(why, 200)),
  ];
  return parts.filter((part) => part !== undefined).join(", ");
}

/** The policy's reason, which names the option that lets the call pass; none where a person said no: that option was not what was missing. */
function refusedBecause(
  { name, target, error }: { readonly [key: string]: JsonValue },
  whyRefused: NonNullable<FollowOptions["whyRefused"]>,
): string | undefined {
  if (typeof name !== "string") return undefined;
  const why = whyRefused(name, typeof target === "string" ? target : undefined);
  const isOthers = typeof error === "string" && why !== undefined && !error.includes(why);
  return isOthers ? undefined : why;
}

/** What a script said, without the labels around it. */
function excerpt(observation: string): string {
  const failure = /^failed.*$/m.exec(observation)?.[0];
  return oneLine(failure ?? observation.replace(/^log:\n/, ""), EXCERPT_WIDTH);
}

function indent(head: string, body: string): string {
  return [head, ...body.trimEnd().split("\n").map((line) => `    ${line}`)].join("\n");
}
