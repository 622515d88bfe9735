/**
 * The command in a git repository, killed in the middle of its work: at chosen points, and at points spread over the whole run. What it was changing is
 * whole, nothing of it runs on, and the session goes on in another process.
 */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import {
  chunkOf,
  type OpenAIServer,
  type ServerStep,
  sseEvent,
  startOpenAIServer,
} from "../fixtures/openai_server.ts";
import { openProcessTable, until } from "../sandbox/process_table.ts";
import { type Home, jsonLines, openHome, processesOf, script } from "./cli_process.ts";

const LINUX = { ignore: Deno.build.os !== "linux" };

/** How many points of the run are tried. */
const KILLS = 12;
/** What is left of a killed run is gone after this time, in ms. */
const GONE_MS = 2_000;

/** A text that tells whether it is whole, and which it is. */
function textOf(version: number): string {
  return `${`version ${version} `.repeat(1_000)}\n`.repeat(40);
}
const VERSIONS = 5;
const LAST = 9;

/** Looks first, so that there is something in the session to go on from. */
const LOOK = script(`function run() {
  return { failed: exec(["sh", "test.sh"]).code, files: glob("**/*") };
}`);
/** Changes a file again and again, and runs a command after each change. */
const WORK = script(`${textOf}
function run() {
  for (let version = 1; version <= ${VERSIONS}; version++) {
    writeFile("src/data.txt", textOf(version));
    exec(["sh", "test.sh"]);
  }
}`);
const GO_ON = script(`${textOf}
function run() {
  const [name, version] = readFile("src/data.txt").split(" ");
  writeFile("src/data.txt", textOf(${LAST}));
  answer(["went on from", name, version].join(" "));
}`);

/** Says what the model says by how far the conversation is, since a killed run may have asked any number of times. */
function replyTo(work: ServerStep): ServerStep {
  return (request, index) => {
    const { messages } = request.body as { messages: { role: string; content: string }[] };
    if (messages.at(-1)?.content.endsWith("go on")) return GO_ON;
    const scripts = messages.filter(({ role }) => role === "assistant").length;
    if (scripts === 0) return LOOK;
    if (scripts > 1) return "All done.";
    return typeof work === "function" ? work(request, index) : work;
  };
}

/** A git repository with a file, and a command that takes a moment in a process of its own. */
async function makeRepository(home: Home): Promise<string> {
  const project = `${home.path}/project`;
  await Deno.mkdir(`${project}/src`, { recursive: true });
  await Deno.writeTextFile(`${project}/src/data.txt`, textOf(0));
  await Deno.writeTextFile(`${project}/test.sh`, "sleep 0.05 & wait\nexit 1\n");
  await git(home, "init -q . && git add -A && git -c user.name=a -c user.email=a commit -qm first");
  return project;
}

async function git(home: Home, line: string): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command("sh", {
    args: ["-c", `git ${line}`],
    cwd: `${home.path}/project`,
    clearEnv: true,
    env: { PATH: home.env().PATH ?? "", HOME: home.path },
  }).output();
  const decoder = new TextDecoder();
  strictEqual(code, 0, decoder.decode(stderr));
  return decoder.decode(stdout);
}

/** A run under way; its first turn has begun. */
interface RunningWork {
  readonly child: Deno.ChildProcess;
  /** Resolves when this was printed, or the run has ended. */
  printed(text: string): Promise<void>;
  /** Kills it and looks after what it leaves behind. */
  kill(): Promise<void>;
}

async function startWork(home: Home): Promise<RunningWork> {
  const args = ["--json", "--approve", "auto", "--cwd", "project", "--session", "s", "do the work"];
  const child = home.start(args);
  let seen = "";
  let ended = false;
  let more = Promise.withResolvers<void>();
  const reading = (async () => {
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      seen += text;
      more.resolve();
      more = Promise.withResolvers();
    }
    ended = true;
    more.resolve();
  })();
  const printed = async (text: string): Promise<void> => {
    while (!seen.includes(text) && !ended) await more.promise;
  };
  await printed('"turn_start"');
  return {
    child,
    printed,
    async kill() {
      await using table = openProcessTable();
      // What stands still starts nothing more: so everything that it started can be listed.
      signal(child, "SIGSTOP");
      const below = await table.below(child.pid);
      signal(child, "SIGKILL");
      await child.status;
      await until("nothing of the killed run is there", async () => {
        const running = await Promise.all(below.map((entry) => table.isRunning(entry)));
        return !running.includes(true) && (await processesOf(home)).length === 0;
      }, GONE_MS);
      await Promise.all([reading, child.stderr.cancel()]);
    },
  };
}

/** A run that has ended by itself cannot be killed any more, which is as good. */
function signal(child: Deno.ChildProcess, name: Deno.Signal): void {
  try {
    child.kill(name);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}

/** The version that the file holds, after a check that it is one and whole. */
async function versionOf(project: string): Promise<number> {
  const text = await Deno.readTextFile(`${project}/src/data.txt`);
  const version = Number(/^version (\d) /.exec(text)?.[1]);
  ok(text === textOf(version), `the file is neither the old one nor the new one: ${text.length}`);
  return version;
}

function leftovers(project: string): readonly string[] {
  return [...Deno.readDirSync(`${project}/src`)].map(({ name }) => name)
    .filter((name) => name !== "data.txt");
}

/** Checks that the file is whole and that the session goes on, and says whether the killed run had come to its end. */
async function goOn(
  home: Home,
  { project, server }: { readonly project: string; readonly server: OpenAIServer },
): Promise<"broken off" | "ended"> {
  const version = await versionOf(project);
  const before = jsonLines((await home.run(["sessions", "show", "s", "--json"])).stdout);
  const { code, stdout, stderr } = await home.run(
    ["--approve", "auto", "--cwd", "project", "--continue", "go on"],
  );
  strictEqual(code, 0, stderr);
  strictEqual(stdout, `went on from version ${version}\n`);
  const sent = JSON.stringify(server.requests.at(-1)?.body);
  match(sent, /do the work/);
  const hasEnded = before.some(({ step_type: type }) => type === "response");
  strictEqual(/The run ended without an answer/.test(sent), !hasEnded);
  const cutScript = before.at(-1)?.step_type === "execute_js";
  if (cutScript) match(sent, /The run ended before this script's result was kept/);
  strictEqual(await versionOf(project), LAST);
  strictEqual(await git(home, "status --porcelain"), " M src/data.txt\n");
  return hasEnded ? "ended" : "broken off";
}

Deno.test(
  "project: killed at points spread over the whole run, no edit is half done, nothing runs on, and the session goes on",
  LINUX,
  async () => {
    await using server = await startOpenAIServer({ otherwise: replyTo(WORK) });
    let wholeMs: number;
    {
      await using home = await openHome(server.baseUrl);
      const project = await makeRepository(home);
      const { child, printed } = await startWork(home);
      const startedAt = performance.now();
      await printed('"type":"result"');
      wholeMs = performance.now() - startedAt;
      strictEqual((await child.status).code, 0);
      await child.stderr.cancel();
      strictEqual(await versionOf(project), VERSIONS);
    }
    const ends: string[] = [];
    for (let point = 0; point < KILLS; point++) {
      await using home = await openHome(server.baseUrl);
      const project = await makeRepository(home);
      const work = await startWork(home);
      await new Promise((resolve) => setTimeout(resolve, (point / KILLS) * wholeMs));
      await work.kill();
      ends.push(await goOn(home, { project, server }));
    }
    ok(ends.includes("broken off"), ends.join());
  },
);

Deno.test("project: killed while the model answers", LINUX, async () => {
  const answering = Promise.withResolvers<void>();
  const half: ServerStep = {
    pieces: [sseEvent(chunkOf("Let me ")), () => {
      answering.resolve();
      return new Promise(() => {});
    }],
  };
  await using server = await startOpenAIServer({ otherwise: replyTo(half) });
  await using home = await openHome(server.baseUrl);
  const project = await makeRepository(home);
  const work = await startWork(home);
  await answering.promise;
  await work.kill();
  strictEqual(await versionOf(project), 0);
  strictEqual(await goOn(home, { project, server }), "broken off");
});

Deno.test("project: killed between two turns", LINUX, async () => {
  await using server = await startOpenAIServer({ otherwise: replyTo(WORK) });
  await using home = await openHome(server.baseUrl);
  const project = await makeRepository(home);
  const work = await startWork(home);
  await work.printed('"execute_js_result"');
  await work.kill();
  strictEqual(await goOn(home, { project, server }), "broken off");
});

Deno.test(
  "project: killed while a command runs that ignores what it can, it is gone with all that it started",
  LINUX,
  async () => {
    const stay = script(`function run() {
  exec(["sh", "-c", 'trap "" TERM HUP INT; sleep 300 & echo "$$ $!" > ../pids; wait']);
}`);
    await using server = await startOpenAIServer({ otherwise: replyTo(stay) });
    await using home = await openHome(server.baseUrl);
    const project = await makeRepository(home);
    const work = await startWork(home);
    const pids = async () => (await Deno.readTextFile(`${home.path}/pids`).catch(() => "")).trim();
    await until("the command runs", async () => /^\d+ \d+$/.test(await pids()));
    ok((await processesOf(home)).length >= 4, "the command, the guest, sh and sleep");
    await work.kill();
    strictEqual(await goOn(home, { project, server }), "broken off");
  },
);

Deno.test(
  "project: killed while files are being written, the old or the new one is there, and what is left beside it does not stay",
  LINUX,
  async () => {
    const write = script(`${textOf}
function run() {
  for (let turn = 0; turn < 500; turn++) writeFile("src/data.txt", textOf(turn % ${VERSIONS} + 1));
}`);
    await using server = await startOpenAIServer({ otherwise: replyTo(write) });
    for (let round = 0; round < 3; round++) {
      await using home = await openHome(server.baseUrl);
      const project = await makeRepository(home);
      const work = await startWork(home);
      await stopWhileWriting(work, project);
      await work.kill();
      strictEqual(leftovers(project).length, 1);
      strictEqual(await goOn(home, { project, server }), "broken off");
      deepStrictEqual(leftovers(project), []);
    }
  },
);

/** Halts it at a moment at which a temporary file is there. */
async function stopWhileWriting({ child }: RunningWork, project: string): Promise<void> {
  await using table = openProcessTable();
  using watcher = Deno.watchFs(`${project}/src`, { recursive: false });
  for await (const { kind } of watcher) {
    if (kind !== "create") continue;
    signal(child, "SIGSTOP");
    await until("it is halted", async () => (await table.find(child.pid))?.state === "T");
    if (leftovers(project).length > 0) return;
    // It was renamed before the signal came.
    signal(child, "SIGCONT");
  }
}
