/** `artifacts ls`, `show` and `rm`: for people, for programs, and at a terminal, on real database files. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import type { NewArtifact } from "../../contracts/artifact.ts";
import { openSqliteStore } from "../../stores/sqlite/mod.ts";
import { type Home, jsonLines, onlyResult, openHome } from "./cli_process.ts";
import { HAS_TERMINAL, openTerminal } from "./terminal.ts";

const HOSTILE = "a\x1b[31m\u202eb\x07\r\nc";

/** Saves artifacts as runs of several owners and sessions do, and gives their ids. */
async function saveAll(db: string, artifacts: readonly Partial<NewArtifact>[]): Promise<string[]> {
  const times = artifacts.map((_, at) => new Date(Date.UTC(2026, 0, 31, 10, at)));
  let at = 0;
  await using store = openSqliteStore(db, { now: () => times[at] ?? new Date(0) });
  const ids: string[] = [];
  for (; at < artifacts.length; at++) {
    const { id } = await store.artifacts.save(at % 2 === 0 ? {} : { userId: "ada" }, {
      sessionId: "s",
      filename: "page.html",
      title: "A page",
      type: "text/html",
      content: "<h1>Hi</h1>",
      ...artifacts[at],
    });
    ids.push(id);
  }
  return ids;
}

/** Fails with what the command wrote unless it ended as expected. */
async function run(home: Home, args: readonly string[], expected = 0) {
  const result = await home.run([...args, "--db", `${home.path}/a.db`]);
  strictEqual(result.code, expected, result.stderr + result.stdout);
  return result;
}

Deno.test("artifacts ls: lists those of all owners or of one session, the last saved first", async () => {
  await using home = await openHome();
  const [first = "", second = "", third = ""] = await saveAll(`${home.path}/a.db`, [
    {},
    { filename: "q3.md", title: `Q3${HOSTILE}`, type: "text/markdown", content: "x".repeat(5000) },
    { sessionId: "other", title: "" },
  ]);
  const { stdout } = await run(home, ["artifacts", "ls"]);
  const lines = stdout.trimEnd().split("\n").map((line) => line.split(/ {2,}/));
  deepStrictEqual(lines[0], ["ID", "FILENAME", "VERSION", "SIZE", "SAVED", "SESSION", "TITLE"]);
  deepStrictEqual(lines.slice(1).map(([id, filename]) => [id, filename]), [
    [third, "page.html"],
    [second, "q3.md"],
    [first, "page.html"],
  ]);
  // deno-lint-ignore no-control-regex -- that none of them is there
  doesNotMatch(stdout, /[\x1b\x07\u202e]/);

  const ofOne = await run(home, ["artifacts", "ls", "--session", "other"]);
  match(ofOne.stdout, new RegExp(`\n${third} `));
  doesNotMatch(ofOne.stdout, new RegExp(`${first}|${second}`));

  const json = jsonLines((await run(home, ["artifacts", "ls", "--json"])).stdout);
  strictEqual(json.length, 4);
  deepStrictEqual(json[1], {
    type: "artifact",
    artifact_id: second,
    filename: "q3.md",
    title: `Q3${HOSTILE}`,
    media_type: "text/markdown",
    version: 1,
    bytes: 5000,
    session_id: "s",
    workspace_id: null,
    project_id: null,
    user_id: "ada",
    created_at: "2026-01-31T10:01:00.000Z",
    saved_at: "2026-01-31T10:01:00.000Z",
  });
  strictEqual(json[3].type, "result");
});

Deno.test("artifacts ls: where there is nothing, that is said, and an unknown session is an error", async () => {
  await using home = await openHome();
  const none = await run(home, ["artifacts", "ls"]);
  strictEqual(none.stdout, "");
  match(none.stderr, /^There are no artifacts in .*a\.db\.\n$/);
  await saveAll(`${home.path}/a.db`, [{}]);
  const missing = await run(home, ["artifacts", "ls", "--session", "nope"], 1);
  match(missing.stderr, /There is no session nope .*\n.*agentloop sessions ls/);
});

Deno.test("artifacts show: gives the content byte for byte to a program, the newest or the version that is named", async () => {
  await using home = await openHome();
  const contents = [`one${HOSTILE}`, "\ufefftwo \0 é"];
  const [id = ""] = await saveAll(`${home.path}/a.db`, [
    { content: contents[0]! },
    { sessionId: "t" },
    { content: contents[1]! },
  ]);
  const show = async (...args: string[]) => {
    const child = home.start(["artifacts", "show", id, "--db", `${home.path}/a.db`, ...args]);
    const { stdout } = await child.output();
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(stdout);
  };
  strictEqual(await show(), contents[1]);
  strictEqual(await show("--version-number", "1"), contents[0]);
  strictEqual(await show("--version-number", "2"), contents[1]);
  for (const address of [`/artifacts/${id}/page.html`, `http://127.0.0.1:1/artifacts/${id}/p?v`]) {
    const { stdout } = await run(home, ["artifacts", "show", address]);
    // The test's own decoder takes the mark at the beginning away.
    strictEqual(stdout, contents[1]?.slice(1));
  }
  const [line, result] = jsonLines(await show("--json", "--version-number", "1"));
  deepStrictEqual(
    [line.type, line.artifact_id, line.version, line.content],
    ["artifact", id, 1, contents[0]],
  );
  deepStrictEqual([result.type, result.exit_code], ["result", 0]);
});

Deno.test("artifacts show, rm: an unknown id or version is an error that says where to look", async () => {
  await using home = await openHome();
  const nothing = await run(home, ["artifacts", "show", "nope"], 1);
  match(nothing.stderr, /There is no artifact nope in .*\n.*agentloop artifacts ls lists/);
  const [id = "", other = ""] = await saveAll(`${home.path}/a.db`, [{}, {}]);
  const version = await run(home, ["artifacts", "show", id, "--version-number", "7", "--json"], 1);
  deepStrictEqual(onlyResult(version.stdout).error, {
    type: "artifact_missing",
    message: `The artifact ${id} has no version 7.`,
  });
  match(
    (await run(home, ["artifacts", "show", id, "--version-number", "7"], 1)).stderr,
    /newest is 1/,
  );
  const hostile = await run(home, ["artifacts", "show", `x${HOSTILE.replaceAll("\r\n", "")}`], 1);
  // deno-lint-ignore no-control-regex -- that none of them is there
  doesNotMatch(hostile.stderr, /[\x1b\x07\u202e]/);

  const removed = await run(home, ["artifacts", "rm", id, "nope", id], 1);
  match(removed.stderr, new RegExp(`Removed ${id}\\.\n.*There is no artifact nope `));
  const rest = jsonLines((await run(home, ["artifacts", "ls", "--json"])).stdout);
  deepStrictEqual(rest.map(({ artifact_id }) => artifact_id), [other, undefined]);
  const json = jsonLines((await run(home, ["artifacts", "rm", other, "--json"])).stdout);
  deepStrictEqual([json[0], json[1].exit_code], [{ type: "removed", artifact_id: other }, 0]);
  strictEqual((await run(home, ["artifacts", "ls"])).stdout, "");
});

Deno.test("artifacts: wrong use is told with the exit code of it", async () => {
  await using home = await openHome();
  const told = async (...args: string[]) => (await run(home, args, 3)).stderr;
  match(await told("artifacts", "show"), /artifacts show needs the id.*\n.*help artifacts/);
  match(await told("artifacts", "show", "a", "b"), /one artifact at a time/);
  match(await told("artifacts", "rm"), /artifacts rm needs the id/);
  match(await told("artifacts", "list"), /unknown command artifacts list; there are ls, show, rm/);
  match(await told("artifacts", "show", "a", "--version-number", "0"), /--version-number/);
  match(await told("artifacts", "rm", "a", "--version-number", "1"), /--version-number/);
});

Deno.test("sessions rm: takes the artifacts of the session along, and no others", async () => {
  await using home = await openHome();
  const [gone = "", stays = ""] = await saveAll(`${home.path}/a.db`, [{}, { sessionId: "t" }]);
  await run(home, ["sessions", "rm", "s"]);
  await run(home, ["artifacts", "show", gone], 1);
  strictEqual((await run(home, ["artifacts", "show", stays])).stdout, "<h1>Hi</h1>");
});

Deno.test({
  name: "artifacts: at a terminal nothing that a model wrote is obeyed",
  ignore: !HAS_TERMINAL,
  async fn() {
    await using home = await openHome();
    const db = `${home.path}/a.db`;
    const [id = ""] = await saveAll(db, [{ content: HOSTILE, title: HOSTILE, sessionId: HOSTILE }]);
    for (const args of [["ls"], ["show", id], ["show", id, "--json"], ["ls", "--json"]]) {
      await using terminal = openTerminal(home, ["artifacts", ...args, "--db", db]);
      strictEqual(await terminal.ended(), 0);
      // deno-lint-ignore no-control-regex -- that none of them is there
      doesNotMatch(terminal.shown, /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202e]/);
      ok(/\\x1b\[31m|\\u001b\[31m/.test(terminal.shown), terminal.shown);
    }
  },
});
