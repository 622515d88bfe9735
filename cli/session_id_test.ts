import { match, strictEqual, throws } from "node:assert/strict";
import { checkSessionId, newSessionId } from "./session_id.ts";

Deno.test("a new id sorts by time and can be typed", () => {
  const now = new Date("2025-04-01T13:05:59Z");
  strictEqual(newSessionId(now, () => 0), "20250401-1305-22222");
  match(newSessionId(now, Math.random), /^20250401-1305-[2-9b-df-hj-km-np-tv-xz]{5}$/);
  strictEqual(newSessionId(now, () => 0.999999), "20250401-1305-zzzzz");
});

Deno.test("ids that cannot be shown or typed are refused", () => {
  for (const id of ["", "  ", "a\nb", "a\tb", "a\x1bb", "a\x7fb", "a\u202eb", "x".repeat(201)]) {
    throws(() => checkSessionId(id), /session id/);
  }
  for (const id of ["a", "Prüfung 7", "x".repeat(200), "../../etc"]) checkSessionId(id);
});
