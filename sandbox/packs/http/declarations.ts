/** What models and scripts see of the engine: the declarations in the prompt, the documentation behind `help`, and the code in the realm. */

/** What the prompt says of `fetch`. */
export const FETCH_PROMPT =
  `declare function fetch(url: string, init?: { method?: string; headers?: Record<string, string>; body?: string | object /* sent as JSON */; timeoutMs?: number; as?: "base64" /* for binary */ }): { status: number; ok: boolean; url: string; headers: Record<string, string>; body: string; json(): any; text(): string };`;

/** What the prompt says of `require("http")`. */
export const HTTP_PROMPT =
  `// require("http"): get(url, init?), delete(url, init?), post(url, body?, init?), put(…), patch(…), request(url, init?); init: { method, headers, body, timeoutMs, as }; each gives { status, ok, url, headers, body, json(), text() }`;

const DOCUMENT_BODY =
  `A status of 400 or more does not throw: look at ok or status. No answer at all throws; the message says why.

init: method ("GET"), headers, body (text, or any JSON value, which is sent as JSON; no bytes), timeoutMs (30000),
as: "base64" (body is then base64; for images, archives, PDF), redirect: "follow" | "manual" | "error".
A form: headers { "content-type": "application/x-www-form-urlencoded" } and body "a=1&b=" + encodeURIComponent(x).

The result is plain data: status, ok, url (after redirects), headers (names in small letters; cookies one a line in
"set-cookie"; none is sent back by itself), body. json() parses the body, text() is the body, headers.get(name) ignores case. What you return from run
keeps the data and loses these methods: return res.json(), or use JSON.parse(res.body) later.

In async function run several requests run at once: await Promise.all(urls.map((url) => fetch(url))). The body has a limit
(4 MiB unless set otherwise): use paging or a Range header beyond it. Hosts may need an approval; do not try a refused one again.`;

/** The documentation of `fetch`. */
export const FETCH_DOCUMENT = `fetch(url, init) makes an HTTP request.\n\n${DOCUMENT_BODY}`;

/** The documentation of `require("http")`. */
export const HTTP_DOCUMENT =
  `const http = require("http"): http.get(url, init), http.head(url, init), http.delete(url, init), http.post(url, body, init),
http.put(url, body, init), http.patch(url, body, init), http.request(url, init), http.request({ url, ...init }). Requests as fetch makes them.

${DOCUMENT_BODY}`;

/**
 * Gives answers the methods that they have in browsers, as properties that do not thread into \`args\`. \`send(name, url, init)\` makes a
 * request through the host function of that name.
 */
const GUEST_SEND = `
const { defineProperty, hasOwn } = Object;
const { parse } = JSON;
const { call } = Function.prototype;
const lower = call.bind("".toLowerCase), cut = call.bind("".slice), trim = call.bind("".trim);
const hidden = (object, name, value) =>
  defineProperty(object, name, { value, enumerable: false, configurable: true, writable: true });
const dress = (res, base64) => {
  const text = () => {
    if (base64) throw new TypeError('the body is base64, as asked for: use res.body, or leave as: "base64" out');
    return res.body;
  };
  hidden(res, "text", text);
  hidden(res, "json", () => {
    const body = text();
    try {
      return parse(body);
    } catch (error) {
      const what = trim(body) === "" ? "empty" : "not JSON";
      throw new SyntaxError("the body of " + res.url + " (status " + res.status + ", " +
        (res.headers["content-type"] ?? "no content-type") + ") is " + what + ": " + cut(body, 0, 120));
    }
  });
  const header = (name) => hasOwn(res.headers, lower("" + name)) ? res.headers[lower("" + name)] : null;
  if (!hasOwn(res.headers, "get")) hidden(res.headers, "get", header);
  if (!hasOwn(res.headers, "has")) hidden(res.headers, "has", (name) => header(name) !== null);
  return res;
};
const send = (name, url, init) => {
  const base64 = init?.as === "base64";
  return host.then(host.call(name, ["" + url, init]), (res) => dress(res, base64));
};`;

/** The code of \`fetch\` in the realm. */
export const FETCH_GUEST_SOURCE = `${GUEST_SEND}
host.define("fetch", function fetch(url, init) {
  return send("fetch", url, init);
});`;

/** The code of \`require("http")\` in the realm; the module is also the global \`http\`, since scripts expect either. */
export const HTTP_GUEST_SOURCE = `${GUEST_SEND}
const { freeze } = Object;
const request = (url, init) => {
  if (typeof url !== "object" || url === null || url.url === undefined) return send("http", url, init);
  const { url: own, ...rest } = url;
  return send("http", own, rest);
};
const plain = (method) => (url, init) => send("http", url, { ...init, method });
const loaded = (method) => (url, body, init) => send("http", url, { ...init, method, body });
const http = freeze({
  request,
  get: plain("GET"),
  head: plain("HEAD"),
  delete: plain("DELETE"),
  post: loaded("POST"),
  put: loaded("PUT"),
  patch: loaded("PATCH"),
});
host.module("http", http);
host.define("http", http);`;
