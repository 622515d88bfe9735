import { deepEqual, equal, throws } from "node:assert/strict";
import { aimOfUrl, bareHost, readUrl } from "./request_url.ts";

const PRIVATE_SPELLINGS = [
  ["http://2130706433/", "127.0.0.1"],
  ["http://0177.0.0.1/", "127.0.0.1"],
  ["http://0x7f.1/", "127.0.0.1"],
  ["http://127.1/", "127.0.0.1"],
  ["http://127.0.0.1./", "127.0.0.1"],
  ["http://①②⑦.0.0.1/", "127.0.0.1"],
  ["http://%31%32%37.0.0.1/", "127.0.0.1"],
  ["http://3232235521/", "192.168.0.1"],
  ["http://LOCALHOST/", "localhost"],
  ["http://localhost./", "localhost"],
  ["http://foo.localhost/", "foo.localhost"],
  ["http://[::1]/", "[::1]"],
  ["http://[0:0:0:0:0:0:0:1]/", "[::1]"],
  ["http://[::ffff:127.0.0.1]/", "[::ffff:7f00:1]"],
  ["http://[64:ff9b::10.0.0.1]/", "[64:ff9b::a00:1]"],
] as const;

for (const [text, target] of PRIVATE_SPELLINGS) {
  Deno.test(`NET-05: ${text} is known as ${target}, and private`, () => {
    deepEqual(aimOfUrl(readUrl(text)), { target, port: 80, network: "private" });
  });
}

Deno.test("NET-05: the decimal spelling of a public address is public", () => {
  const aim = aimOfUrl(readUrl("http://134744072/"));
  deepEqual(aim, { target: "8.8.8.8", port: 80, network: "public" });
});

const SPECIAL = [
  "http://0.0.0.0/",
  "http://1/",
  "http://100.100.100.200/",
  "http://198.18.0.1/",
  "http://192.0.0.8/",
  "http://240.0.0.1/",
  "http://255.255.255.255/",
  "http://224.0.0.1/",
  "http://169.254.169.254/latest/",
];
for (const text of SPECIAL) {
  Deno.test(`NET-06: ${text} is private`, () => {
    equal(aimOfUrl(readUrl(text)).network, "private");
  });
}

for (const text of ["http://100.63.255.255/", "http://100.128.0.1/"]) {
  Deno.test(`NET-06: ${text} beside the shared range is public`, () => {
    equal(aimOfUrl(readUrl(text)).network, "public");
  });
}

Deno.test("request url: a name is aimed at with its port, and its network is not known", () => {
  deepEqual(aimOfUrl(readUrl("https://Example.COM/a")), { target: "example.com", port: 443 });
  deepEqual(aimOfUrl(readUrl("https://bücher.example:8443/")), {
    target: "xn--bcher-kva.example",
    port: 8443,
  });
});

Deno.test("request url: the fragment and a dot at the end of the host are dropped", () => {
  equal(readUrl(" https://example.com./a?b=1#c ").href, "https://example.com/a?b=1");
  equal(bareHost(readUrl("http://[2606:4700::1]:8080/")), "2606:4700::1");
});

const REFUSED = [
  ["", /is not a URL/],
  ["example.com/path", /is not a URL/],
  ["/orders", /absolute one/],
  ["http://", /is not a URL/],
  ["http://[fe80::1%25eth0]/", /is not a URL/],
  ["http://256.256.256.256/", /is not a URL/],
  ["file:///etc/passwd", /"file:" URLs are not allowed; use http: or https:/],
  ["data:text/plain,x", /"data:" URLs are not allowed/],
  ["ftp://example.com/", /"ftp:" URLs are not allowed/],
  ["javascript:alert(1)", /"javascript:" URLs are not allowed/],
  ["http://user:secret@example.com/", /send an Authorization header/],
] as const;
for (const [text, message] of REFUSED) {
  Deno.test(`request url: ${JSON.stringify(text)} is refused`, () => {
    throws(() => readUrl(text), { name: "TypeError", message });
  });
}

Deno.test("request url: what is no text is refused, shortened", () => {
  throws(() => readUrl(undefined), { name: "TypeError" });
  throws(() => readUrl({ href: "x".repeat(1000) }), ({ message }: Error) => message.length < 400);
});
