import { deepStrictEqual, match, rejects } from "node:assert/strict";
import { readJsonBody } from "./json_body.ts";
import { Refusal } from "./refusal.ts";

const LIMITS = { maxBytes: 20, timeoutMs: 60_000 };

function bodyOf(...parts: readonly (string | Uint8Array)[]) {
  const encoder = new TextEncoder();
  const body = ReadableStream.from(
    parts.map((part) => typeof part === "string" ? encoder.encode(part) : part),
  );
  return { body, headers: new Headers({ "content-type": "application/json" }) };
}

function isRefusal(code: string, message: RegExp): (error: unknown) => boolean {
  return (error) => {
    match(String(error), message);
    return error instanceof Refusal && error.code === code;
  };
}

Deno.test("body: an object is read from pieces, also where they part a character", async () => {
  const [first, second] = [new Uint8Array([0x7b, 0x22, 0xc3]), new Uint8Array([0xbc, 0x22])];
  deepStrictEqual(await readJsonBody(bodyOf(first, second, ":1}"), LIMITS), { "ü": 1 });
});

Deno.test("body: the bound is on what comes, whatever was announced", async () => {
  const request = bodyOf('{"a":"', "x".repeat(20), '"}');
  await rejects(readJsonBody(request, LIMITS), isRefusal("too_large", /20 B at most/));
  const announced = bodyOf("{}");
  announced.headers.set("content-length", "21");
  await rejects(readJsonBody(announced, LIMITS), isRefusal("too_large", /20 B at most/));
});

Deno.test("body: one that does not come to its end is not waited for", async () => {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new Uint8Array([0x7b]));
    },
  });
  const headers = new Headers({ "content-type": "application/json" });
  await rejects(
    readJsonBody({ body, headers }, { ...LIMITS, timeoutMs: 5 }),
    isRefusal("timeout", /within 5 ms/),
  );
});

Deno.test("body: text that is no UTF-8, and a connection that breaks off, are told apart", async () => {
  const request = bodyOf(new Uint8Array([0x7b, 0xff]));
  await rejects(readJsonBody(request, LIMITS), isRefusal("bad_request", /not UTF-8/));
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.error(new Error("reset"));
    },
  });
  const headers = new Headers({ "content-type": "application/json; charset=UTF-8" });
  await rejects(readJsonBody({ body, headers }, LIMITS), isRefusal("bad_request", /broke off/));
});
