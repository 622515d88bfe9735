import { strictEqual } from "node:assert/strict";
import { editDistance, suggest } from "./suggest.ts";

Deno.test("a slip of the fingers costs one", () => {
  strictEqual(editDistance("model", "modle"), 1);
  strictEqual(editDistance("model", "mode"), 1);
  strictEqual(editDistance("model", "modell"), 1);
  strictEqual(editDistance("", "abc"), 3);
  strictEqual(editDistance("abc", "abc"), 0);
});

Deno.test("only what is near is suggested", () => {
  strictEqual(suggest("sesion", ["session", "json"]), "session");
  strictEqual(suggest("xyz", ["session", "json"]), undefined);
});
