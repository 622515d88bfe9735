import assert from "node:assert/strict";
import { AgentLoopError } from "../../contracts/errors.ts";
import { sqliteFailure, storeError } from "./failures.ts";

Deno.test("sqliteFailure knows an error by its result code, extended ones too, and by its text", () => {
  const extendedBusySnapshot = 517;
  assert.equal(sqliteFailure(withCode(extendedBusySnapshot)), "locked");
  assert.equal(sqliteFailure(withCode(26)), "not_a_database");
  assert.equal(sqliteFailure(new Error("database is locked")), "locked");
  assert.equal(sqliteFailure(new Error("attempt to write a readonly database")), "read_only");
  assert.equal(sqliteFailure(new Error("database disk image is malformed")), "corrupt");
  assert.equal(sqliteFailure(new Error('near "x": syntax error')), "other");
  assert.equal(sqliteFailure("database is locked"), "other");
});

Deno.test("storeError tells what was done, to which file, why it failed and what to do", () => {
  for (
    const [text, code, advice] of [
      ["database is locked", "store_locked", /Try again/],
      ["database disk image is malformed", "store_corrupt", /backup/],
      ["file is not a database", "store_foreign", /Name another file/],
      ["database or disk is full", "store_failed", /Free some room/],
      ["attempt to write a readonly database", "store_failed", /permissions/],
      ["unable to open database file: /x", "store_failed", /folder/],
      ["something new", "store_failed", /something new/],
    ] as const
  ) {
    const cause = new Error(text);
    const error = storeError(cause, "append a step", "/x/store.db");
    assert.ok(error instanceof AgentLoopError);
    assert.equal(error.code, code);
    assert.equal(error.cause, cause);
    assert.match(error.message, /^Could not append a step in \/x\/store\.db: /);
    assert.match(error.message, advice);
  }
});

Deno.test("storeError lets a caller's mistake and errors of our own pass", () => {
  for (
    const error of [
      new TypeError("mistake"),
      new RangeError("mistake"),
      new AgentLoopError("known", { code: "store_newer" }),
    ]
  ) assert.equal(storeError(error, "append a step", "/x"), error);
});

function withCode(errcode: number): Error {
  return Object.assign(new Error("text"), { code: "ERR_SQLITE_ERROR", errcode });
}
