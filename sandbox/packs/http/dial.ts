/**
 * Opens the connection for a request. The socket goes to addresses that were checked and to no others, whatever the name says by then: it is
 * given them in the place of a look-up. Where the program may connect to hosts by their names only, the runtime has to look the
 * name up itself; its answer is then checked before anything is sent to it, and nothing is when it lies elsewhere.
 */
import { connect as connectPlain, isIP, type LookupFunction, type Socket } from "node:net";
import { connect as connectSecure } from "node:tls";
import { HttpFailure, noPermission } from "./http_failure.ts";
import { classifyAddress, type NetworkClass } from "./network_class.ts";

/** Where a request goes, after the check. */
export interface Route {
  /** The name or the address, without brackets. */
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  /** The addresses that were checked. */
  readonly addresses: readonly string[];
  /** What the gate was told of them. */
  readonly network: NetworkClass;
  /** Whether the addresses are what the runtime's own look-up gives, so that it may look them up again. */
  readonly bySystem: boolean;
}

/** How connections are made; for tests. */
export interface DialOptions {
  /** Certificates of the authorities that are trusted, in PEM. @default those of the runtime */
  readonly caCerts?: readonly string[];
  /** Looks names up. @default gives the checked addresses, or asks the runtime */
  readonly lookup?: LookupFunction;
}

/** An address that does not answer is given up for the next after this time, in ms. Node's default of 250 is below some round trips. */
const NEXT_ADDRESS_MS = 1_000;
/** So many addresses of a name are tried at most. */
const MAX_ADDRESSES = 8;

/**
 * Opens a connection and resolves when requests may be written to it: for https after the certificate was found good for the name. The
 * socket is the caller's to destroy; when the signal ends first, it is destroyed here.
 *
 * @throws {Error} what went wrong, the signal's reason among it.
 */
export async function dial(
  route: Route,
  options: DialOptions & { readonly signal: AbortSignal },
): Promise<Socket> {
  const { signal } = options;
  signal.throwIfAborted();
  const socket = route.secure ? openSecure(route, options) : connectPlain(target(route, options));
  guard(socket, route);
  const onAbort = () => void socket.destroy(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once(route.secure ? "secureConnect" : "connect", resolve);
      socket.once("error", reject);
      socket.once("close", () => {
        reject(Object.assign(new Error("closed"), { code: "ECONNRESET" }));
      });
    });
    return socket;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

function openSecure(route: Route, options: DialOptions): Socket {
  const { caCerts } = options;
  return connectSecure({
    ...target(route, options),
    // A certificate is for the name in the URL; an address goes without one (RFC 6066).
    servername: isIP(route.host) === 0 ? route.host : "",
    // Said here, so that no variable of the environment can turn it off.
    rejectUnauthorized: true,
    ALPNProtocols: ["http/1.1"],
    ...(caCerts === undefined ? {} : { ca: [...caCerts] }),
  });
}

/** Looks at each address before the first of them is dialled. */
function guard(socket: Socket, { host, network }: Route): void {
  socket.on("lookup", (error: Error | null, address: string) => {
    if (error !== null || network === "private" || classifyAddress(address) === "public") return;
    socket.destroy(new HttpFailure(`${host} leads to another network than when it was checked`));
  });
}

function target(route: Route, options: DialOptions) {
  return {
    host: route.host,
    port: route.port,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
    ...lookupFor(route, options),
  };
}

/** The look-up that gives the checked addresses; none where the runtime must do its own. */
function lookupFor(
  route: Route,
  { lookup }: DialOptions,
): { readonly lookup?: LookupFunction } {
  if (lookup !== undefined) return { lookup };
  if (isIP(route.host) !== 0) {
    if (permissionFor(route.host, route.port) !== "granted") throw noPermission();
    return {};
  }
  const allowed = route.addresses.filter((address) =>
    permissionFor(address, route.port) === "granted"
  );
  if (allowed.length > 0) return { lookup: giveAddresses(allowed) };
  if (route.bySystem && !route.addresses.some((address) => isDenied(address, route.port))) {
    return {};
  }
  throw noPermission();
}

function giveAddresses(addresses: readonly string[]): LookupFunction {
  const found = addresses.slice(0, MAX_ADDRESSES)
    .map((address) => ({ address, family: isIP(address) }));
  return (_hostname, options, callback) => {
    // Not before the socket's listeners are there.
    queueMicrotask(() => {
      if (options.all === true) callback(null, found);
      else callback(null, found[0]!.address, found[0]!.family);
    });
  };
}

function permissionFor(address: string, port: number): Deno.PermissionState {
  const host = isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`;
  return Deno.permissions.querySync({ name: "net", host }).state;
}

function isDenied(address: string, port: number): boolean {
  return permissionFor(address, port) === "denied";
}
