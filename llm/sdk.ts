/**
 * The OpenAI package, loaded when it is first needed: it is large, and programs that ask no model should not pay for it.
 *
 * It builds URLs and bodies and sends; replies are taken from it raw. Its own retries and time limits are off, it is told everything that it would
 * otherwise look up in the environment, and it finds no environment: no variable adds a header.
 */
import process from "node:process";
import { AgentLoopError } from "../contracts/errors.ts";
import type { FetchFunction, ResolvedConfig } from "./openai_config.ts";
import type { OpenAI } from "./openai_package.d.ts";

/** The longest delay that a timer can hold: the time limit of the package is not used. */
const NEVER_MS = 2_147_483_647;

/** A client of the package that is made once, when it is first asked for. */
export interface LazySdk {
  /**
   * Loads the package if need be. A failure is not remembered.
   *
   * @throws {AgentLoopError} `config` when the package cannot be loaded.
   */
  load(): Promise<OpenAI>;
}

/** Prepares to load the package; loads nothing yet. */
export function lazySdk(config: ResolvedConfig): LazySdk {
  let loading: Promise<OpenAI> | undefined;
  return {
    load() {
      loading ??= importAndCreate(config).catch((error) => {
        loading = undefined;
        throw error;
      });
      return loading;
    },
  };
}

async function importAndCreate(config: ResolvedConfig): Promise<OpenAI> {
  const { OpenAI } = await (
    // @ts-types="./openai_package.d.ts"
    import("npm:openai@7.59.0")
  ).catch((cause) => {
    throw new AgentLoopError(
      "The npm package openai could not be loaded. Install the dependencies (deno install), or go online once so that they can be.",
      { code: "config", cause },
    );
  });
  const { apiKey, headers } = config;
  return withoutVariables(() =>
    new OpenAI({
      baseURL: config.endpoint.baseUrl,
      // The package insists on a key; the header below is what is sent, or not.
      apiKey: apiKey ?? "none",
      adminAPIKey: null,
      organization: null,
      project: null,
      webhookSecret: null,
      maxRetries: 0,
      timeout: NEVER_MS,
      logLevel: "off",
      defaultHeaders: {
        authorization: apiKey === undefined ? null : `Bearer ${apiKey}`,
        ...headers,
      },
      fetch: weeding(config.fetch, new Set(Object.keys(headers))),
    })
  );
}

/**
 * The package looks one variable up, whatever it is told. Where the program may not read it, the runtime would ask at a terminal; so there are no
 * variables while the client is made, which is done at once and lets nothing else run in between.
 */
function withoutVariables<T>(make: () => T): T {
  const { env } = process;
  process.env = {};
  try {
    return make();
  } finally {
    process.env = env;
  }
}

/** What a server needs to know. The package would also tell it the operating system, its architecture and more. */
const NEEDED_HEADERS = new Set(["accept", "authorization", "content-type", "user-agent"]);

/** The headers of a method are the same for every request, so they are weeded once: going over them costs more than the rest of the call. */
function weeding(fetch: FetchFunction, own: ReadonlySet<string>): FetchFunction {
  const weeded = new Map<string, [string, string][]>();
  return (input, init) => {
    const method = init?.method ?? "GET";
    let headers = weeded.get(method);
    if (headers === undefined) {
      headers = [...new Headers(init?.headers)].filter(([name]) =>
        NEEDED_HEADERS.has(name) || own.has(name)
      );
      weeded.set(method, headers);
    }
    return fetch(input, { ...init, headers });
  };
}
