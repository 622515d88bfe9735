/**
 * Tells public addresses from all others. Public is only what the IANA registries hand out for unicast on the Internet: every special-purpose
 * range counts as private, also those that may be routed, since no web server of anybody's stands there.
 */
import ipaddr from "npm:ipaddr.js@2.5.0";

/** Where an address lies. */
export type NetworkClass = "public" | "private";

/** All of global unicast; the rest of IPv6 is reserved. Source: IANA's IPv6 address space registry. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");
/** IPv4 addresses as translators write them (RFC 6052): the IPv4 address in the last 32 bits decides. */
const TRANSLATED = ipaddr.IPv6.parseCIDR("64:ff9b::/96");
/** One cloud's service for its own machines, which answers at an address of the public space: no registry lists it. */
const PLATFORM_SERVICE = "168.63.129.16";

/**
 * Classifies an address as text: IPv4 with four decimal parts, or IPv6 in any spelling, with or without brackets and zone id.
 * What is not an address is private: nobody is to reach what cannot be told.
 */
export function classifyAddress(text: string): NetworkClass {
  const address = parseAddress(text);
  if (address === undefined) return "private";
  if (address instanceof ipaddr.IPv4) return classifyIPv4(address);
  const embedded = embeddedIPv4(address);
  if (embedded !== undefined) return classifyIPv4(embedded);
  if (address.range() !== "unicast" || isTunnelled(address)) return "private";
  return address.match(GLOBAL_UNICAST) ? "public" : "private";
}

/** The class of a name by its addresses: public when all of them are. */
export function classifyAddresses(addresses: readonly string[]): NetworkClass {
  const allPublic = addresses.length > 0 &&
    addresses.every((address) => classifyAddress(address) === "public");
  return allPublic ? "public" : "private";
}

/**
 * Classifies a host of a URL as far as that needs no resolver: addresses, and names that stand for this machine whoever is asked
 * (RFC 6761). Any other name is not known yet.
 */
export function classifyHost(host: string): NetworkClass | undefined {
  const name = host.toLowerCase().replace(/\.+$/, "");
  if (name === "localhost" || name.endsWith(".localhost")) return "private";
  return isAddress(name) ? classifyAddress(name) : undefined;
}

/** Whether a host of a URL is this machine, so that what is sent to it meets no network. Other names of it are not known as such. */
export function isThisMachine(host: string): boolean {
  const name = host.toLowerCase().replace(/\.+$/, "");
  if (name === "localhost" || name.endsWith(".localhost")) return true;
  const address = parseAddress(name);
  if (address === undefined) return false;
  const embedded = address instanceof ipaddr.IPv6 ? embeddedIPv4(address) : undefined;
  return (embedded ?? address).range() === "loopback";
}

/** Whether a host of a URL is an address and no name. */
export function isAddress(host: string): boolean {
  return parseAddress(host) !== undefined;
}

function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  // A zone id names an interface of this machine, and says nothing of where the address lies.
  const bare = text.replace(/^\[(.*)\]$/, "$1").replace(/%.*$/, "");
  if (!bare.includes(":")) return undefined;
  // Brought to one spelling first: the library takes "::8.8.8.8" for a mapped address, which it is not.
  const spelled = URL.parse(`http://[${bare}]`)?.hostname.slice(1, -1);
  return spelled === undefined ? undefined : ipaddr.IPv6.parse(spelled);
}

function classifyIPv4(address: ipaddr.IPv4): NetworkClass {
  return address.range() === "unicast" && address.toString() !== PLATFORM_SERVICE
    ? "public"
    : "private";
}

/** The IPv4 address that a mapped or translated one stands for. */
function embeddedIPv4(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  if (!address.isIPv4MappedAddress() && !address.match(TRANSLATED)) return undefined;
  return new ipaddr.IPv4(address.toByteArray().slice(12));
}

/** Whether the interface id is one of ISATAP (RFC 5214), which delivers to the IPv4 address in it. */
function isTunnelled({ parts }: ipaddr.IPv6): boolean {
  return parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x200);
}
