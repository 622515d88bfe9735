/**
 * The runtime's `fetch`, for requests whose heads are all alike: address and headers are read once, and not for each request. A program may put another function in its
 * place, to listen or for tests: that one gets what it would get otherwise.
 */

/** The part of `fetch` that the client uses. */
export type FetchFunction = (
  input: string | URL | Request,
  init?: RequestInit,
) => Promise<Response>;

/** As it was when the program loaded this. */
const original = globalThis.fetch;

/** Makes a function that sends with the global `fetch` of the moment. It keeps the head of the last request: headers that are passed again must be as they were. */
export function createRuntimeFetch(): FetchFunction {
  let head: Head | undefined;
  return (url, init) => {
    const { method, headers, ...rest } = init ?? {};
    if (globalThis.fetch !== original || typeof url !== "string") return fetch(url, init);
    if (head?.url !== url || head.method !== method || head.headers !== headers) {
      head = { url, method, headers, request: new Request(url, { method, headers }) };
    }
    return fetch(head.request, rest);
  };
}

interface Head {
  readonly url: string;
  readonly method: string | undefined;
  readonly headers: unknown;
  readonly request: Request;
}
