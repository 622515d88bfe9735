import assert from "node:assert/strict";
import { MAX_TITLE_LENGTH, sessionTitle } from "./session_title.ts";

Deno.test("sessionTitle gives the first line that holds anything, trimmed", () => {
  assert.equal(sessionTitle("\n \r\n  What is new?  \nAnd more"), "What is new?");
  assert.equal(sessionTitle("one\u2028two"), "one");
  assert.equal(sessionTitle(" \n\t"), "");
  assert.equal(sessionTitle(""), "");
});

Deno.test("sessionTitle cuts to 80 characters and never within one", () => {
  assert.equal(sessionTitle("x".repeat(80)), "x".repeat(80));
  assert.equal(sessionTitle("x".repeat(81)), "x".repeat(80));
  assert.equal(sessionTitle(`${"x".repeat(79)}\u{1F600}`), "x".repeat(79));
  assert.equal(sessionTitle(`${"x".repeat(78)}\u{1F600}y`), `${"x".repeat(78)}\u{1F600}`);
  assert.equal(MAX_TITLE_LENGTH, 80);
});
