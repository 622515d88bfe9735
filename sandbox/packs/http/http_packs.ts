/** The packs over the engine. This module and what it loads are only needed once a sandbox is built. */
import type { HostFunction, Pack } from "../../../contracts/sandbox.ts";
import {
  FETCH_DOCUMENT,
  FETCH_GUEST_SOURCE,
  FETCH_PROMPT,
  HTTP_DOCUMENT,
  HTTP_GUEST_SOURCE,
  HTTP_PROMPT,
} from "./declarations.ts";
import { type Engine, exchange } from "./exchange.ts";
import { HttpFailure } from "./http_failure.ts";
import { aimOfUrl, readUrl } from "./request_url.ts";

/**
 * The gate's own deadline, in ms: an hour, which only a call that waits for a person comes near. Requests keep their own time, which stands still while
 * somebody is asked about a redirect.
 */
const CALL_DEADLINE_MS = 3_600_000;

/** The pack that brings `fetch`. */
export function fetchPack(engine: Engine): Pack {
  return {
    name: "fetch",
    prompt: FETCH_PROMPT,
    guestSource: FETCH_GUEST_SOURCE,
    documents: [{ name: "fetch", description: "HTTP requests", text: FETCH_DOCUMENT }],
    functions: [requestFunction("fetch", engine)],
  };
}

/** The pack that brings `require("http")`. */
export function httpPack(engine: Engine): Pack {
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
    functions: [requestFunction("http", engine)],
  };
}

function requestFunction(name: string, engine: Engine): HostFunction {
  return {
    name,
    sideEffect: true,
    timeoutMs: CALL_DEADLINE_MS,
    target: ([url]) => aimOfUrl(readUrl(url)),
    async execute(args, context) {
      try {
        return await exchange(args, context, engine);
      } catch (error) {
        if (!(error instanceof HttpFailure)) throw error;
        throw Object.assign(new Error(`${name}: ${error.message}`), { name: error.name });
      }
    },
  };
}
