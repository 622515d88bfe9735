import { deepEqual, equal, ok } from "node:assert/strict";
import { cleanError, cleanMessage } from "./clean_error.ts";
import { utf8Bytes } from "./utf8.ts";

Deno.test("clean error: name and message of an error, text as it is", () => {
  deepEqual(cleanError(new TypeError("bad")), { name: "TypeError", message: "bad" });
  deepEqual(cleanError("disk full"), { message: "disk full" });
  deepEqual(cleanError({ name: "x y", message: "m" }), { message: "m" });
});

Deno.test("clean error: what says nothing, or throws when it is read, gets a message all the same", () => {
  const hostile = {
    get message(): never {
      throw new Error("boo");
    },
  };
  for (const thrown of [undefined, null, 1, {}, { message: 4 }, new Error(""), hostile, Symbol()]) {
    equal(cleanError(thrown).message, "it failed without saying why");
  }
});

Deno.test("clean error: stacks, escapes and control characters are taken out", () => {
  equal(
    cleanMessage(
      "boom\n    at run (file:///x/y.ts:1:2)\n    at main (z.ts:3)\n\u001b[31mred\u001b[0m\u0007!",
    ),
    "boom\nred !",
  );
});

Deno.test("clean error: paths of the host lose all but their last part, others stay", () => {
  const paths: { readonly [text: string]: string } = {
    "open /home/me/app/data.db: denied": "open data.db: denied",
    "in file:///usr/lib/x/mod.ts:3:4": "in mod.ts:3:4",
    "at C:\\Users\\me\\a.txt": "at a.txt",
    "'/tmp/a/b.txt' is missing": "'b.txt' is missing",
    "GET https://example.com/home/x/y failed": "GET https://example.com/home/x/y failed",
    "src/home/a.ts and /api/v1/items": "src/home/a.ts and /api/v1/items",
  };
  for (const [text, cleaned] of Object.entries(paths)) equal(cleanMessage(text), cleaned);
});

Deno.test("ATK-60: a long message is cut to a kilobyte, at whole characters", () => {
  const message = cleanMessage(`a${"🎉".repeat(500_000)}`);
  ok(message.isWellFormed() && utf8Bytes(message) < 1100);
});
