/** The packs over the engine. This module and what it loads are only needed once a sandbox is built. */
import type { BuildContext, HostFunction, Pack } from "../../../contracts/sandbox.ts";
import { Connections } from "./connections.ts";
import {
  FETCH_DOCUMENT,
  FETCH_GUEST_SOURCE,
  FETCH_PROMPT,
  HTTP_DOCUMENT,
  HTTP_GUEST_SOURCE,
  HTTP_PROMPT,
} from "./declarations.ts";
import { type Engine, exchange } from "./exchange.ts";
import type { FetchOptions } from "./fetch_options.ts";
import { HttpFailure } from "./http_failure.ts";
import { RequestSlots } from "./request_slots.ts";
import { aimOfUrl, readUrl } from "./request_url.ts";

/**
 * The gate's own deadline, in ms: an hour, which only a call that waits for a person comes near. Requests keep their own time, which stands still while
 * somebody is asked about a redirect.
 */
const CALL_DEADLINE_MS = 3_600_000;

/** The pack that brings `fetch`. */
export function fetchPack(options: FetchOptions, build: BuildContext): Pack {
  return {
    name: "fetch",
    prompt: FETCH_PROMPT,
    guestSource: FETCH_GUEST_SOURCE,
    documents: [{ name: "fetch", description: "HTTP requests", text: FETCH_DOCUMENT }],
    functions: [requestFunction("fetch", { options, build })],
  };
}

/** The pack that brings `require("http")`. */
export function httpPack(options: FetchOptions, build: BuildContext): Pack {
  return {
    name: "http",
    prompt: HTTP_PROMPT,
    guestSource: HTTP_GUEST_SOURCE,
    modules: ["http"],
    documents: [{
      name: "http",
      description: "HTTP requests, a function a method",
      text: HTTP_DOCUMENT,
    }],
    functions: [requestFunction("http", { options, build })],
  };
}

function requestFunction(
  name: string,
  { options, build }: { readonly options: FetchOptions; readonly build: BuildContext },
): HostFunction {
  const engine = createEngine(options);
  return {
    name,
    sideEffect: true,
    timeoutMs: CALL_DEADLINE_MS,
    target: ([url]) => aimOfUrl(readUrl(url)),
    async execute(args, context) {
      engine.connections.endWith(build.signal);
      try {
        return await exchange(args, context, engine);
      } catch (error) {
        if (!(error instanceof HttpFailure)) throw error;
        throw Object.assign(new Error(`${name}: ${error.message}`), { name: error.name });
      }
    },
  };
}

function createEngine(options: FetchOptions): Engine {
  const { timeoutMs = 30_000, maxBytes = 4 * 1024 * 1024, maxConcurrent = 32, resolve } = options;
  return {
    timeoutMs,
    maxBytes,
    slots: new RequestSlots(maxConcurrent),
    connections: new Connections(),
    ...(resolve === undefined ? {} : { resolve }),
  };
}
