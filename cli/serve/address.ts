/**
 * Where the server listens, and which addresses of it a client may name. Pure.
 */
import { usageError } from "../failure.ts";
import type { CliOptions } from "../option_table.ts";
import { oneLine } from "../terminal_text.ts";

/** The port, unless told otherwise; no service that is registered for it is in wide use. */
export const DEFAULT_PORT = 8484;

/** A place to listen at. */
export interface ListenAddress {
  /** An address, or a name for one. */
  readonly hostname: string;
  /** The port; 0 is any that is free. */
  readonly port: number;
}

/**
 * The place that the options name.
 *
 * @throws {CliError} `usage` for what is no host or no port.
 */
export function listenAddress(options: Pick<CliOptions, "host" | "port">): ListenAddress {
  const { host = "127.0.0.1", port = DEFAULT_PORT } = options;
  const hostname = host.replace(/^\[(.*)\]$/, "$1");
  const isHost = /^[\w.-]+$/.test(hostname) || (hostname.includes(":") && isAddress6(hostname));
  if (!isHost) {
    throw usageError(`--host takes an address such as 127.0.0.1 or ::1, not ${oneLine(host, 60)}`);
  }
  if (port > 65_535) throw usageError(`--port takes a number up to 65535, not ${port}`);
  return { hostname, port };
}

/** Whether only this machine reaches an address. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "::1" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

/** An address as it stands in a URL. */
export function urlHost({ hostname, port }: ListenAddress): string {
  return `${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
}

/**
 * Whether a client may name the server so. A page whose own name was made to lead to this machine sends that name; on loopback only the names of loopback
 * are taken. Elsewhere the names are not known.
 */
export function isOwnHost(host: string | null, { hostname, port }: ListenAddress): boolean {
  if (host === null) return false;
  if (!isLoopback(hostname)) return true;
  const names = ["127.0.0.1", "localhost", "::1", hostname];
  const own = names.map((name) => urlHost({ hostname: name, port }));
  // The port of http goes without saying.
  return own.includes(host.toLowerCase()) ||
    (port === 80 && own.includes(`${host.toLowerCase()}:80`));
}

function isAddress6(text: string): boolean {
  return URL.canParse(`http://[${text}]/`);
}
