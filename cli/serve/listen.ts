/**
 * The listening socket: opened with failures that say what to do, closed within a bounded time.
 */
import { CliError, messageOf } from "../failure.ts";
import { requirePermissions } from "../permission.ts";
import { type ListenAddress, urlHost } from "./address.ts";

/** How long answers that are written to their end may take once no run is left, in ms. A client that reads nothing must not keep the server. */
const CLOSE_MS = 2_000;

/** A server that listens. */
export interface Listening {
  /** Where; with the port that it has. */
  readonly address: ListenAddress;
  /** Takes no more connections, and resolves when those that there are have got their answers, or too long after `lastRun`. */
  close(lastRun: Promise<void>): Promise<void>;
}

/**
 * Checks that the runtime permits to listen.
 *
 * @throws {CliError} `permission`, naming the flag.
 */
export function requireListening(address: ListenAddress): void {
  requirePermissions([{ name: "net", host: urlHost(address) }], {
    problem: `Cannot listen on ${urlHost(address)}`,
  });
}

/**
 * Begins to listen. `answer` must not reject.
 *
 * @throws {CliError} `config` when the address is in use, or is none of this machine.
 */
export function listen(
  { hostname, port }: ListenAddress,
  answer: (request: Request) => Promise<Response>,
): Listening {
  const kill = new AbortController();
  const server = open();
  const address = { hostname, port: (server.addr as Deno.NetAddr).port };
  return {
    address,
    async close(lastRun) {
      const closed = server.shutdown();
      await lastRun;
      const timer = setTimeout(() => kill.abort(), CLOSE_MS);
      await Promise.race([
        closed,
        new Promise<void>((resolve) => kill.signal.addEventListener("abort", () => resolve())),
      ]);
      clearTimeout(timer);
    },
  };

  function open(): Deno.HttpServer {
    try {
      return Deno.serve({
        hostname,
        port,
        signal: kill.signal,
        onListen() {},
        // What fails behind an answer is a connection that is gone.
        onError: () => new Response(null, { status: 500 }),
      }, (request) => answer(request));
    } catch (error) {
      throw new CliError(
        "config",
        `Cannot listen on ${urlHost({ hostname, port })}: ${reasonOf(error)}`,
        { cause: error, hint: hintFor(error) },
      );
    }
  }
}

function hintFor(error: unknown): string {
  return error instanceof Deno.errors.AddrInUse || error instanceof Deno.errors.PermissionDenied
    ? "--port 0 takes any port that is free."
    : "--host takes an address of this machine, such as 127.0.0.1.";
}

function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.AddrInUse) return "the port is in use.";
  if (error instanceof Deno.errors.AddrNotAvailable) return "it is no address of this machine.";
  if (error instanceof Deno.errors.PermissionDenied) return "the system does not permit it.";
  return messageOf(error);
}
