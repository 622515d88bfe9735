/**
 * The OpenAI package, loaded when it is first needed: programs that ask no model should not pay for it.
 *
 * Its resources are used, which know the routes of the wire, and not its client: the client brings every resource there is, and takes five times as long to load as the one that
 * is needed. What the resources send their requests through is here. Nothing of it looks at the environment: no variable adds a header.
 */
import { AgentLoopError } from "../contracts/errors.ts";
import type { ResolvedConfig } from "./openai_config.ts";
import { transportTo } from "./transport.ts";

/** What to ask for. */
export type Exchange =
  | { readonly kind: "completion"; readonly body: object }
  | { readonly kind: "models" };

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
 * It is the last version that is all ES modules: the newer ones load one file of CommonJS, for which the runtime sets up its whole module loader, and take four times as
 * long. What they mend is in parts that are not used here.
 */
export function lazySdk(config: ResolvedConfig): LazySdk {
  let loading: Promise<Sender> | undefined;
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

async function importAndCreate(config: ResolvedConfig): Promise<Sender> {
  const [{ Completions }, { Models }] = await Promise.all([
    // @ts-types="./openai_package.d.ts"
    import("npm:openai@7.5.0/resources/chat/completions"),
    // @ts-types="./openai_package.d.ts"
    import("npm:openai@7.5.0/resources/models"),
  ]).catch((cause) => {
    throw new AgentLoopError(
      "The npm package openai could not be loaded. Install the dependencies (deno install), or go online once so that they can be.",
      { code: "config", cause },
    );
  });
  const transport = transportTo(config);
  const completions = new Completions(transport);
  const models = new Models(transport);
  return {
    send(request, signal) {
      switch (request.kind) {
        case "completion":
          return completions.create(request.body, { signal });
        case "models":
          return models.list({ signal });
      }
    },
  };
}
