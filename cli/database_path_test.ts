import { strictEqual, throws } from "node:assert/strict";
import { databasePath } from "./database_path.ts";

function path(os: string, variables: Record<string, string>, db?: string): string {
  return databasePath({
    os,
    env: (name) => variables[name] || undefined,
    ...(db === undefined ? {} : { db }),
  });
}

Deno.test("--db beats the environment, which beats the usual place", () => {
  const all = { HOME: "/h", XDG_DATA_HOME: "/x", AGENTLOOP_DB: "/env.db" };
  strictEqual(path("linux", all, "mine.db"), "mine.db");
  strictEqual(path("linux", all), "/env.db");
  strictEqual(path("linux", { ...all, AGENTLOOP_DB: "" }), "/x/agentloop/agentloop.db");
  strictEqual(
    path("linux", { HOME: "/h", XDG_DATA_HOME: "relative" }),
    "/h/.local/share/agentloop/agentloop.db",
  );
});

Deno.test("each platform has its own place", () => {
  strictEqual(
    path("darwin", { HOME: "/h" }),
    "/h/Library/Application Support/agentloop/agentloop.db",
  );
  strictEqual(path("windows", { LOCALAPPDATA: "/l" }), "/l/agentloop/agentloop.db");
});

Deno.test("without a home the message says what to set", () => {
  throws(() => path("linux", {}), /Cannot tell where to keep sessions: HOME is not set/);
});
