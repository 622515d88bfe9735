import { equal } from "node:assert/strict";
import {
  classifyAddress,
  classifyAddresses,
  classifyHost,
  isThisMachine,
} from "./network_class.ts";

/** Every row of IANA's special-purpose registries, and of the address space beside global unicast: name, first and last address. */
const SPECIAL: readonly (readonly [string, string, string])[] = [
  ["0.0.0.0/8 this network", "0.0.0.0", "0.255.255.255"],
  ["10.0.0.0/8 private use", "10.0.0.0", "10.255.255.255"],
  ["100.64.0.0/10 shared (carrier NAT)", "100.64.0.0", "100.127.255.255"],
  ["127.0.0.0/8 loopback", "127.0.0.0", "127.255.255.255"],
  ["169.254.0.0/16 link local", "169.254.0.0", "169.254.255.255"],
  ["172.16.0.0/12 private use", "172.16.0.0", "172.31.255.255"],
  ["192.0.0.0/24 protocol assignments", "192.0.0.0", "192.0.0.255"],
  ["192.0.0.0/29 IPv4 service continuity", "192.0.0.0", "192.0.0.7"],
  ["192.0.0.8/32 dummy address", "192.0.0.8", "192.0.0.8"],
  ["192.0.0.9/32 port control anycast", "192.0.0.9", "192.0.0.9"],
  ["192.0.0.10/32 TURN anycast", "192.0.0.10", "192.0.0.10"],
  ["192.0.0.170/32 and 171 NAT64 discovery", "192.0.0.170", "192.0.0.171"],
  ["192.0.2.0/24 documentation", "192.0.2.0", "192.0.2.255"],
  ["192.31.196.0/24 AS112", "192.31.196.0", "192.31.196.255"],
  ["192.52.193.0/24 AMT", "192.52.193.0", "192.52.193.255"],
  ["192.88.99.0/24 6to4 relay", "192.88.99.0", "192.88.99.255"],
  ["192.168.0.0/16 private use", "192.168.0.0", "192.168.255.255"],
  ["192.175.48.0/24 AS112 direct", "192.175.48.0", "192.175.48.255"],
  ["198.18.0.0/15 benchmarking", "198.18.0.0", "198.19.255.255"],
  ["198.51.100.0/24 documentation", "198.51.100.0", "198.51.100.255"],
  ["203.0.113.0/24 documentation", "203.0.113.0", "203.0.113.255"],
  ["224.0.0.0/4 multicast", "224.0.0.0", "239.255.255.255"],
  ["240.0.0.0/4 reserved", "240.0.0.0", "255.255.255.254"],
  ["255.255.255.255/32 broadcast", "255.255.255.255", "255.255.255.255"],
  ["168.63.129.16 a platform's own service", "168.63.129.16", "168.63.129.16"],
  ["::/128 unspecified", "::", "::"],
  ["::1/128 loopback", "::1", "::1"],
  ["::/96 IPv4-compatible", "::8.8.8.8", "::ffff:ffff"],
  ["::ffff:0:0/96 mapped, of a private address", "::ffff:10.0.0.1", "::ffff:7f00:1"],
  ["::ffff:0:0:0/96 translated (RFC 2765)", "::ffff:0:8.8.8.8", "::ffff:0:127.0.0.1"],
  ["0:0:0:0:ffff::/96 translated (RFC 6145)", "::ffff:0:0:0", "0:0:0:0:ffff:0:808:808"],
  ["64:ff9b::/96 NAT64, of a private address", "64:ff9b::10.0.0.1", "64:ff9b::a9fe:a9fe"],
  ["64:ff9b:1::/48 NAT64, local use", "64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:808:808"],
  ["100::/64 discard only", "100::", "100::ffff:ffff:ffff:ffff"],
  ["100:0:0:1::/64 dummy prefix", "100:0:0:1::", "100:0:0:1:ffff:ffff:ffff:ffff"],
  ["2001::/23 protocol assignments", "2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["2001::/32 Teredo", "2001:0:808:808::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["2001:1::1/128 port control anycast", "2001:1::1", "2001:1::1"],
  ["2001:1::2/128 TURN anycast", "2001:1::2", "2001:1::2"],
  ["2001:1::3/128 DNS-SD anycast", "2001:1::3", "2001:1::3"],
  ["2001:2::/48 benchmarking", "2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff"],
  ["2001:3::/32 AMT", "2001:3::", "2001:3:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["2001:4:112::/48 AS112", "2001:4:112::", "2001:4:112:ffff:ffff:ffff:ffff:ffff"],
  ["2001:10::/28 ORCHID", "2001:10::", "2001:1f:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["2001:20::/28 ORCHIDv2", "2001:20::", "2001:2f:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["2001:30::/28 drone ids", "2001:30::", "2001:3f:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["2001:db8::/32 documentation", "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["2002::/16 6to4", "2002:808:808::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["2620:4f:8000::/48 AS112 direct", "2620:4f:8000::", "2620:4f:8000:ffff:ffff:ffff:ffff:ffff"],
  ["3fff::/20 documentation", "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["5f00::/16 segment routing", "5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["fc00::/7 unique local", "fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["fe80::/10 link local", "fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["fec0::/10 site local", "fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["ff00::/8 multicast", "ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["200::/7 never handed out", "200::1", "3ff::1"],
  ["4000::/3 never handed out", "4000::1", "5eff::1"],
  ["e000::/4 never handed out", "e000::1", "efff::1"],
  ["ISATAP in a global prefix", "2a00::5efe:a00:1", "2a00::200:5efe:a00:1"],
  ["a zone id", "fe80::1%eth0", "fe80::1%25eth0"],
];

for (const [range, first, last] of SPECIAL) {
  Deno.test(`network class: ${range} is private`, () => {
    equal(classifyAddress(first), "private", first);
    equal(classifyAddress(last), "private", last);
  });
}

/** Neighbours of the ranges, and addresses that are known to be public. */
const PUBLIC: readonly string[] = [
  "1.0.0.0",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.0",
  "93.184.216.34",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.0",
  "168.63.129.15",
  "169.253.255.255",
  "169.255.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "191.255.255.255",
  "192.0.1.0",
  "192.0.3.0",
  "192.31.195.255",
  "192.52.194.0",
  "192.88.98.255",
  "192.167.255.255",
  "192.169.0.0",
  "192.175.49.0",
  "198.17.255.255",
  "198.20.0.0",
  "198.51.101.0",
  "203.0.112.255",
  "223.255.255.255",
  "::ffff:8.8.8.8",
  "::FFFF:808:808",
  "64:ff9b::8.8.8.8",
  "2001:200::",
  "2001:4860:4860::8888",
  "2001:db7:ffff::1",
  "2001:db9::",
  "2003::1",
  "2606:4700:4700::1111",
  "2620:4f:7fff::1",
  "2620:4f:8001::",
  "2a00:1450:4001:830::200e",
  "3ffe:ffff::1",
  "3fff:1000::",
  "[2606:4700::1]",
];

for (const address of PUBLIC) {
  Deno.test(`network class: ${address} is public`, () => {
    equal(classifyAddress(address), "public");
  });
}

for (const text of ["", "8.8.8", "8.8.8.8.8", "0x8.8.8.8", "08.8.8.8", "1.2.3.4:80", "example"]) {
  Deno.test(`network class: ${JSON.stringify(text)} is no address, and so private`, () => {
    equal(classifyAddress(text), "private");
  });
}

Deno.test("NET-10: a name that resolves to both kinds is private, and so is one without an address", () => {
  equal(classifyAddresses(["93.184.216.34", "2606:4700::1111"]), "public");
  equal(classifyAddresses(["93.184.216.34", "10.0.0.5"]), "private");
  equal(classifyAddresses(["93.184.216.34", "::1"]), "private");
  equal(classifyAddresses([]), "private");
});

Deno.test("network class: names that stand for this machine are private unasked, others are not known", () => {
  for (
    const host of [
      "localhost",
      "LOCALHOST",
      "localhost.",
      "foo.localhost",
      "a.b.LocalHost.",
      "[::1]",
      "127.0.0.1",
    ]
  ) equal(classifyHost(host), "private", host);
  for (const host of ["example.com", "localhost.example.com", "notlocalhost", "router.local"]) {
    equal(classifyHost(host), undefined, host);
  }
  equal(classifyHost("8.8.8.8"), "public");
});

Deno.test("only what needs no network is this machine", () => {
  const here = ["localhost", "LOCALHOST.", "a.localhost", "127.0.0.1", "127.9.9.9", "[::1]"];
  const mapped = ["[::ffff:127.0.0.1]", "[::ffff:7f00:1]"];
  for (const host of [...here, ...mapped]) equal(isThisMachine(host), true, host);
  const elsewhere = ["10.0.0.1", "192.168.1.1", "[fe80::1]", "0.0.0.0", "[::]", "8.8.8.8"];
  const names = ["localhost.example.com", "example.com", "127.0.0.1.example.com", ""];
  for (const host of [...elsewhere, ...names]) equal(isThisMachine(host), false, host);
});
