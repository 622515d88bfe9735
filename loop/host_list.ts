/** Lists of hosts as people write them, and whether a host is on one. Host names are compared in the form that URLs give them. */
import type { CallAim } from "../contracts/policy.ts";
import { nameOf } from "./argument_checks.ts";

/** One entry of a list. */
interface HostEntry {
  /** The host; without a name of its own in front, `example.com`. */
  readonly host: string;
  /** Whether the hosts below it are meant, and not itself. */
  readonly below: boolean;
  /** The port, or any; left out for those of the web. */
  readonly port?: number | "any";
}

const WEB_PORTS: readonly number[] = [80, 443];

/** A checked list of hosts. */
export class HostList {
  readonly #entries: readonly HostEntry[];

  /**
   * Reads a list.
   *
   * @param option its name, for the error
   * @throws {TypeError} when it is no list, or an entry is no host with an optional port.
   */
  constructor(option: string, entries: readonly string[]) {
    if (!Array.isArray(entries)) {
      throw new TypeError(`${option}: expected a list of hosts, got ${nameOf(entries)}`);
    }
    this.#entries = entries.map((entry: string) => {
      const read = readEntry(entry);
      if (read !== undefined) return read;
      throw new TypeError(
        `${option}: expected hosts such as "example.com", "*.example.com" or "example.com:8080", got ${
          JSON.stringify(entry)
        }`,
      );
    });
  }

  /**
   * Whether an aim is on the list. An entry without a port is for ports 80 and 443; so is an aim that does not tell its port.
   * With `portNamed` only entries count that name one.
   */
  has(
    { target, port }: Pick<CallAim, "target" | "port">,
    { portNamed = false }: { readonly portNamed?: boolean } = {},
  ): boolean {
    const host = normalHost(target);
    return this.#entries.some((entry) =>
      matchesHost(entry, host) && matchesPort(entry, port) &&
      (!portNamed || typeof entry.port === "number")
    );
  }
}

/** Whether a port is one that web servers have; one that is not told counts as such. */
export function isWebPort(port: number | undefined): boolean {
  return port === undefined || WEB_PORTS.includes(port);
}

/** A host in the one spelling that is compared: that of URLs, without a dot at the end. What is no host stays as it is, in small letters. */
export function normalHost(host: string): string {
  const bare = host.trim().toLowerCase();
  const bracketed = /^[^[\]]*:[^[\]]*:[^[\]]*$/.test(bare) ? `[${bare}]` : bare;
  const name = /[/?#@\\]|:\d*$/.test(bracketed)
    ? undefined
    : URL.parse(`http://${bracketed}/`)?.hostname;
  return (name ?? bare).replace(/\.$/, "");
}

function matchesHost({ host, below }: HostEntry, asked: string): boolean {
  if (!below) return asked === host;
  return asked.endsWith(`.${host}`) && asked.length > host.length + 1;
}

function matchesPort({ port }: HostEntry, asked: number | undefined): boolean {
  if (port === "any") return true;
  return port === undefined ? isWebPort(asked) : port === asked;
}

/** `host`, `.host` or `*.host`, each with `:port` or `:*` behind it; an IPv6 address in brackets, or bare where there is no port. */
function readEntry(entry: unknown): HostEntry | undefined {
  if (typeof entry !== "string") return undefined;
  const text = entry.trim();
  const withPort = /^(.*[^:]):(\d{1,5}|\*)$/.exec(text);
  // "::1" ends like a host with a port, and is an address.
  const hasPort = withPort !== null && (!withPort[1]!.includes(":") || withPort[1]!.endsWith("]"));
  const name = hasPort ? withPort[1]! : text;
  const port = hasPort ? readPort(withPort[2]!) : undefined;
  if (hasPort && port === undefined) return undefined;
  const below = /^\*?\./.test(name);
  const host = normalHost(name.replace(/^\*?\./, ""));
  if (!isHost(host)) return undefined;
  return { host, below, ...(port === undefined ? {} : { port }) };
}

function readPort(text: string): number | "any" | undefined {
  if (text === "*") return "any";
  const port = Number(text);
  return port >= 1 && port <= 65_535 ? port : undefined;
}

function isHost(host: string): boolean {
  return /^(?:[^\s/:@*.[\]]+(?:\.[^\s/:@*.[\]]+)*|\[[0-9a-f:.]+\])$/.test(host);
}
