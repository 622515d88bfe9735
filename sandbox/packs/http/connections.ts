/**
 * The connections of one sandbox. One that served a request is kept for a while for the next to the same host, port and network: the address at
 * its other end was checked when it was made, and the gate is asked about each request before it gets here.
 */
import { Agent, type AgentOptions, type ClientRequestArgs } from "node:http";
import type { Duplex } from "node:stream";
import { dial, type DialOptions, type Route } from "./dial.ts";

/** A kept connection is closed after this time without a request, in ms: sooner than most servers do it. */
const IDLE_MS = 4_000;
/** Connections to one host that are kept at most. */
const MAX_IDLE = 8;
/** Requests that may be sent again unseen, should a kept connection turn out to be closed. */
const REPEATABLE = new Set(["GET", "HEAD", "OPTIONS"]);

/** What a request is started with to get its connection. */
export interface ConnectionOptions {
  readonly agent: Agent;
  /** Tells the places apart that a kept connection may lead to. */
  readonly routeKey: string;
  /** Makes a connection where none is kept. */
  readonly open: () => Promise<Duplex>;
}

/** Gives requests their connections. Disposing closes all of them; the next request makes new ones. */
export class Connections implements Disposable {
  readonly #dialing: DialOptions;
  readonly #kept = new RoutingAgent({
    keepAlive: true,
    maxFreeSockets: MAX_IDLE,
    timeout: IDLE_MS,
  });
  readonly #fresh = new RoutingAgent();
  #watched: AbortSignal | undefined;

  /** Without options, certificates and look-ups are those of the runtime. */
  constructor(dialing: DialOptions = {}) {
    this.#dialing = dialing;
  }

  /** How a request gets its connection: a kept one, where there is one and the request may be repeated. */
  to(
    route: Route,
    { method, fresh, signal }: {
      readonly method: string;
      readonly fresh: boolean;
      readonly signal: AbortSignal;
    },
  ): ConnectionOptions {
    const { host, port, secure, network } = route;
    return {
      agent: fresh || !REPEATABLE.has(method) ? this.#fresh : this.#kept,
      routeKey: JSON.stringify([host, port, secure, network]),
      open: () => dial(route, { ...this.#dialing, signal }),
    };
  }

  /** Closes all connections when a signal ends: that of the run. To be called at each request, since sandboxes may outlive runs. */
  endWith(signal: AbortSignal): void {
    if (signal === this.#watched) return;
    this.#watched = signal;
    signal.addEventListener("abort", () => this[Symbol.dispose](), { once: true });
  }

  [Symbol.dispose](): void {
    this.#kept.destroy();
    this.#fresh.destroy();
  }
}

/** Leaves the making of connections, and the question which may serve for which request, to the request's options. */
class RoutingAgent extends Agent {
  constructor(options: AgentOptions = {}) {
    super(options);
  }

  override getName(options: object): string {
    return (options as ConnectionOptions).routeKey;
  }

  override createConnection(
    options: ClientRequestArgs,
    done?: (error: Error | null, connection: Duplex) => void,
  ): Duplex {
    const none = undefined as unknown as Duplex;
    const { open } = options as unknown as ConnectionOptions;
    open().then((connection) => done?.(null, connection), (error) => done?.(error, none));
    // It comes through the callback.
    return none;
  }
}
