/**
 * The OpenAI package, loaded when it is first needed: it is large, and programs that ask no model should not pay for it.
 *
 * It says where a request goes and with which headers. That is the same for every request of a path, so it is asked once for each: to have it put together anew costs as
 * much as the rest of a call. It is told everything that it would otherwise look up in the environment, and it finds no environment: no variable adds a header.
 */
import { AgentLoopError } from "../contracts/errors.ts";
import type { ResolvedConfig } from "./openai_config.ts";
import type { OpenAI } from "./openai_package.d.ts";

/** The longest delay that a timer can hold: the time limit of the package is not used. */
const NEVER_MS = 2_147_483_647;

/** What to send. */
export type Exchange =
  | { readonly method: "get"; readonly path: string }
  | { readonly method: "post"; readonly path: string; readonly body: object };

/** Sends requests to one endpoint. */
export interface Sender {
  /** Resolves with the reply as soon as its headers are there, whatever its status; rejects as `fetch` does. */
  send(request: Exchange, signal: AbortSignal): Promise<Response>;
}

/** A sender that is made once, when it is first asked for. */
export interface LazySdk {
  /**
   * Loads the package if need be. A failure is not remembered.
   *
   * @throws {AgentLoopError} `config` when the package cannot be loaded.
   */
  load(): Promise<Sender>;
}

/**
 * Prepares to load the package; loads nothing yet.
 *
 * It is the last version that is all ES modules: the newer ones load one file of CommonJS, for which the runtime sets up its whole module loader, and take three times as
 * long. What they mend is in parts that are not used here: of all of it, only the address and the headers of a request are asked for.
 */
export function lazySdk(config: ResolvedConfig): LazySdk {
  let loading: Promise<Sender> | undefined;
  return {
    load() {
      loading ??= importAndCreate(config).then((sdk) => senderOf(sdk, config)).catch((error) => {
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
    import("npm:openai@7.5.0")
  ).catch((cause) => {
    throw new AgentLoopError(
      "The npm package openai could not be loaded. Install the dependencies (deno install), or go online once so that they can be.",
      { code: "config", cause },
    );
  });
  const { apiKey, headers } = config;
  return withoutVariables(() =>
    new OpenAI({
      baseURL: withoutQuery(config.endpoint.baseUrl),
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
    })
  );
}

/**
 * The package looks one variable up, whatever it is told. Where the program may not read it, the runtime would ask at a terminal; so there are no
 * variables while the client is made, which is done at once and lets nothing else run in between. The runtime's own `process` is not even looked at: that alone would take
 * it 8 ms.
 */
function withoutVariables<T>(make: () => T): T {
  const own = Object.getOwnPropertyDescriptor(globalThis, "process");
  Object.defineProperty(globalThis, "process", { value: { env: {} }, configurable: true });
  try {
    return make();
  } finally {
    if (own === undefined) Reflect.deleteProperty(globalThis, "process");
    else Object.defineProperty(globalThis, "process", own);
  }
}

/** What a server needs to know. The package would also tell it the operating system, its architecture and more. */
const NEEDED_HEADERS = new Set(["accept", "authorization", "content-type", "user-agent"]);

function withoutQuery(url: string): string {
  const at = url.indexOf("?");
  return at < 0 ? url : url.slice(0, at);
}

function senderOf(sdk: OpenAI, { endpoint, fetch, headers: own }: ResolvedConfig): Sender {
  // The package would put a request's path behind the query of the base URL.
  const query = endpoint.baseUrl.slice(withoutQuery(endpoint.baseUrl).length);
  const prepared = new Map<string, Promise<Prepared>>();
  return {
    async send(request, signal) {
      const { method, path } = request;
      let preparing = prepared.get(path);
      if (preparing === undefined) {
        preparing = prepare(sdk, { request, own, query });
        prepared.set(path, preparing);
      }
      const { url, headers } = await preparing;
      return await (method === "get"
        ? fetch(url, { method: "GET", headers, signal })
        : fetch(url, { method: "POST", headers, signal, body: JSON.stringify(request.body) }));
    },
  };
}

/** Where requests of a path go, and what stands at their head. */
interface Prepared {
  readonly url: string;
  readonly headers: [string, string][];
}

async function prepare(
  sdk: OpenAI,
  { request: { method, path }, own, query }: {
    readonly request: Exchange;
    readonly own: Readonly<Record<string, string>>;
    readonly query: string;
  },
): Promise<Prepared> {
  // Any body has the same headers.
  const options = { method, path, ...(method === "post" ? { body: {} } : {}) };
  const { url, req } = await sdk.buildRequest(options);
  const headers = [...req.headers].filter(([name]) => NEEDED_HEADERS.has(name) || name in own);
  return { url: `${url}${query}`, headers };
}
