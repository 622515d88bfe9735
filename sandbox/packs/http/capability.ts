/**
 * `fetch` and `require("http")` for scripts: one HTTP client whose answers are plain data. Which hosts may be asked is for the policy; the guard here sees to
 * it that it is asked about each, redirects included, with the network that the host really lies in, and that no other address is dialled.
 *
 * A program needs `--allow-net` for the hosts that are to be reached (`--allow-net=example.com` is enough) and nothing else: no environment, no files.
 * Proxies are not used.
 */
import type { Capability } from "../../../contracts/sandbox.ts";
import type { Engine } from "./exchange.ts";
import { RequestSlots } from "./request_slots.ts";

/** Options of {@linkcode fetchCapability} and {@linkcode httpCapability}. */
export interface FetchOptions {
  /** Wall time of a request that names none, in ms, redirects and body included; never more than what is left of the run. @default 30_000 */
  readonly timeoutMs?: number;
  /** Bytes of a response body at most, counted after decompression. @default 4_194_304 (4 MiB) */
  readonly maxBytes?: number;
  /** Requests of one sandbox that are under way at once; more wait their turn. @default 32 */
  readonly maxConcurrent?: number;
  /**
   * Resolves a name to its addresses, as text. Every one of them is checked. A rejection is a failed request. It is not asked about addresses; the
   * program then needs `--allow-net` for the addresses too. @default the operating system's way
   */
  readonly resolve?: (hostname: string, port: number) => Promise<readonly string[]>;
}

/**
 * A capability named `fetch`: `fetch(url, init)` for scripts.
 *
 * @throws {RangeError} when an option is out of range.
 */
export function fetchCapability(options: FetchOptions = {}): Capability {
  checkOptions(options);
  return {
    name: "fetch",
    description: "HTTP requests",
    build: async () => {
      const { fetchPack } = await import("./http_packs.ts");
      return [fetchPack(createEngine(options))];
    },
  };
}

/**
 * A capability named `http`: `require("http")` for scripts, with a function for each method.
 *
 * @throws {RangeError} when an option is out of range.
 */
export function httpCapability(options: FetchOptions = {}): Capability {
  checkOptions(options);
  return {
    name: "http",
    description: "HTTP requests, a function a method",
    build: async () => {
      const { httpPack } = await import("./http_packs.ts");
      return [httpPack(createEngine(options))];
    },
  };
}

function createEngine(options: FetchOptions): Engine {
  const { timeoutMs = 30_000, maxBytes = 4 * 1024 * 1024, maxConcurrent = 32, resolve } = options;
  return {
    timeoutMs,
    maxBytes,
    slots: new RequestSlots(maxConcurrent),
    ...(resolve === undefined ? {} : { resolve }),
  };
}

function checkOptions(options: FetchOptions): void {
  for (const name of ["timeoutMs", "maxBytes", "maxConcurrent"] as const) {
    const value = options[name];
    if (value === undefined || value >= 1) continue;
    throw new RangeError(`${name} must be a number of at least 1, not ${value}.`);
  }
}
