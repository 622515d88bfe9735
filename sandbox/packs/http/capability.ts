/**
 * `fetch` and `require("http")` for scripts: one HTTP client whose answers are plain data. Which hosts may be asked is for the policy; the guard here sees to
 * it that it is asked about each, redirects included, with the network that the host really lies in, and that no other address is dialled.
 *
 * A program needs `--allow-net` for the hosts that are to be reached (`--allow-net=example.com` is enough) and nothing else: no environment, no files.
 * Proxies are not used, cookies not kept. Connections are, for a few seconds and at most until the run ends.
 */
import { refuseUnknown } from "../../../contracts/known_names.ts";
import type { Capability } from "../../../contracts/sandbox.ts";
import type { FetchOptions } from "./fetch_options.ts";

export type { FetchOptions };

/**
 * A capability named `fetch`: `fetch(url, init)` for scripts.
 *
 * @throws {TypeError} when there is no such option. @throws {RangeError} when one is out of range.
 */
export function fetchCapability(options: FetchOptions = {}): Capability {
  checkOptions(options);
  return {
    name: "fetch",
    description: "HTTP requests",
    build: async (context) => {
      const { fetchPack } = await import("./http_packs.ts");
      return [fetchPack(options, context)];
    },
  };
}

/**
 * A capability named `http`: `require("http")` for scripts, with a function for each method.
 *
 * @throws {TypeError} when there is no such option. @throws {RangeError} when one is out of range.
 */
export function httpCapability(options: FetchOptions = {}): Capability {
  checkOptions(options);
  return {
    name: "http",
    description: "HTTP requests, a function a method",
    build: async (context) => {
      const { httpPack } = await import("./http_packs.ts");
      return [httpPack(options, context)];
    },
  };
}

const OPTIONS: Readonly<Record<keyof FetchOptions, true>> = {
  timeoutMs: true,
  maxBytes: true,
  maxConcurrent: true,
  resolve: true,
};

function checkOptions(options: FetchOptions): void {
  refuseUnknown("fetch", options, OPTIONS);
  for (const name of ["timeoutMs", "maxBytes", "maxConcurrent"] as const) {
    const value = options[name];
    if (value === undefined || value >= 1) continue;
    throw new RangeError(`${name} must be a number of at least 1, not ${value}.`);
  }
}
