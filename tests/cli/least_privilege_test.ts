/** Each line of README that starts the command with no more than it needs, as it stands there, at a terminal: where the runtime could ask, and must not. */
import {
  deepStrictEqual,
  doesNotMatch,
  match,
  notStrictEqual,
  strictEqual,
} from "node:assert/strict";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type OpenAIServer,
  type ServerStep,
  startOpenAIServer,
} from "../fixtures/openai_server.ts";
import { type Home, openHome, script } from "./cli_process.ts";
import { HAS_TERMINAL, openShellLine, type Terminal } from "./terminal.ts";

const README = Deno.readTextFileSync(new URL("../../README.md", import.meta.url));
const CHECKOUT = fileURLToPath(new URL("../../", import.meta.url)).replace(/\/$/, "");

/** What the runtime draws around a question of its own. */
const RUNTIME_ASKS = /Deno requests|Allow\? \[y\/n\/A\]/;
const SIX_TIMES_SEVEN = script("function run() { answer(6 * 7); }");

/** The block of README: its settings, and its lines by what stands above each. */
function readmeLines(): { readonly settings: string; readonly lines: ReadonlyMap<string, string> } {
  const [, section = ""] = README.split("### Of the command\n");
  const [, block = ""] = /```sh\n([^]*?)```/.exec(section) ?? [];
  const settings = [...block.matchAll(/^[A-Z]=.*$/gm)].map(([line]) => line).join("\n");
  const lines = [...block.matchAll(/^# (.*)\n(deno run .*)$/gm)]
    .map(([, what = "", line = ""]): [string, string] => [what, line]);
  return { settings, lines: new Map(lines) };
}

/** What a test has to work with. */
interface Job {
  readonly home: Home;
  /** The folder that the line is given in. */
  readonly project: string;
  readonly server: OpenAIServer;
  readonly terminal: Terminal;
  /** Whether there is a database. */
  hasSessions(): boolean;
}

/** One line: what the model says, what is there before, and what shows that the job was done. */
interface Line {
  readonly replies?: readonly ServerStep[];
  readonly before?: (home: Home) => Promise<void>;
  readonly done: (job: Job) => Promise<void>;
}

const LINES: Readonly<Record<string, Line>> = {
  "the version": { done: (job) => shows(job, /^agentloop \d/m) },
  "help": { done: (job) => shows(job, /Usage: agentloop run/) },
  "the demo": {
    done: async (job) => {
      await shows(job, /Checked: a computation of the command's own gives the same ten lines/);
      strictEqual(job.hasSessions(), false);
    },
  },
  "a message": {
    replies: [SIX_TIMES_SEVEN],
    done: async (job) => {
      await shows(job, /^42\r$/m);
      strictEqual(job.hasSessions(), true);
    },
  },
  "a message to a model of your own": {
    replies: [SIX_TIMES_SEVEN],
    done: (job) => shows(job, /^42\r$/m),
  },
  "a message of which nothing is kept": {
    replies: [SIX_TIMES_SEVEN],
    done: async (job) => {
      await shows(job, /^42\r$/m);
      strictEqual(job.hasSessions(), false);
    },
  },
  "a message for which scripts may ask a site": {
    replies: [script(
      'function run() { try { fetch("https://nowhere.invalid/"); } catch (e) { answer(e.message); } }',
    )],
    // It came as far as the name, which nobody has.
    done: (job) => shows(job, /nowhere\.invalid cannot be asked: the name /),
  },
  "a conversation": {
    replies: [SIX_TIMES_SEVEN],
    done: async (job) => {
      await job.terminal.until(/> /);
      await job.terminal.type("what is 6 * 7?\r");
      await job.terminal.until(/42\r\n/);
      await job.terminal.type("/exit\r");
      await shows(job, /To go on: /);
    },
  },
  "a server on this machine": {
    replies: [SIX_TIMES_SEVEN],
    done: async ({ home, terminal }) => {
      await terminal.until(/The token is in .*\r\n/);
      const [, url = ""] = /Listening on (\S+)/.exec(terminal.shown) ?? [];
      const token = await Deno.readTextFile(
        `${home.path}/.local/share/agentloop/agentloop.db.token`,
      );
      const response = await fetch(`${url}/sessions/s/messages`, {
        method: "POST",
        headers: {
          "authorization": `Bearer ${token.trim()}`,
          "content-type": "application/json",
        },
        body: '{"message":"what is 6 * 7?"}',
      });
      match(await response.text(), /"status":"completed","text":"42"/);
      await terminal.type("\x03");
      strictEqual(await terminal.ended(), 130);
    },
  },
  "a question about a project, which is read only": {
    replies: [script(
      'function run() { answer([readFile("README.md").trim(), typeof writeFile, typeof exec, skillGet("typos").includes("One by one.")].join(" ")); }',
    )],
    done: (job) => shows(job, /^A projetc undefined undefined true\r$/m),
  },
  "a change to a project": {
    replies: [script(
      'function run() { editFile("README.md", "projetc", "project"); answer("done"); }',
    )],
    done: async (job) => {
      await job.terminal.until(/Allow it\? /);
      await job.terminal.type("y\r");
      await shows(job, /^done\r$/m);
      strictEqual(await Deno.readTextFile(`${job.project}/README.md`), "A project\n");
    },
  },
  "a change to a project with make and git, neither of which is asked about": {
    replies: [script(`function run() {
  writeFile("made.txt", "by hand");
  const { stdout } = exec(["make", "-s"]);
  answer(stdout.trim() + " " + exec(["git", "--version"]).stdout);
}`)],
    done: async (job) => {
      await job.terminal.until(/Allow it\? /);
      await job.terminal.type("y\r");
      await shows(job, /^made by hand git version /m);
    },
  },
  "the sessions": {
    replies: ["hello"],
    before: async (home) => void await home.run(["--session", "ID", "a title"]),
    done: (job) => shows(job, /^ID .* a title\r$/m),
  },
  "a session that is to go": {
    replies: ["hello"],
    before: async (home) => void await home.run(["--session", "ID", "a title"]),
    done: async (job) => {
      await shows(job, /^Removed ID\.\r$/m);
      doesNotMatch((await job.home.run(["sessions", "ls"])).stdout, /a title/);
    },
  },
  "a check of everything": {
    replies: ["ready"],
    done: async (job) => {
      await shows(job, /request {4}ok /);
      match(
        job.terminal.shown,
        /edits {6}off {6}no --allow-write=\.: writeFile and editFile are off/,
      );
      match(job.terminal.shown, /exec {7}off {6}no --allow-run=sh: exec is off/);
    },
  },
};

/** The command ends well and has shown this. */
async function shows({ terminal }: Job, pattern: RegExp): Promise<void> {
  const code = await terminal.ended();
  match(terminal.shown, pattern);
  strictEqual(code, 0);
}

async function makeProject(home: Home): Promise<string> {
  const project = `${home.path}/project`;
  await Deno.mkdir(project);
  await Deno.writeTextFile(`${project}/README.md`, "A projetc\n");
  await Deno.mkdir(`${project}/.agentloop/skills/typos`, { recursive: true });
  await Deno.writeTextFile(
    `${project}/.agentloop/skills/typos/SKILL.md`,
    "---\nname: typos\ndescription: How typos are mended here\n---\nOne by one.\n",
  );
  await Deno.writeTextFile(`${project}/Makefile`, "all: ; echo made $$(cat made.txt)\n");
  return project;
}

/** A home as a user has it, with the runtime's packages where they are looked for. */
async function environmentOf(home: Home): Promise<Record<string, string>> {
  const { DENO_DIR = "", ...env } = home.env({ TERM: "xterm" });
  const link = new Deno.Command("sh", {
    args: ["-c", 'mkdir -p "$HOME/.cache" && ln -s "$0" "$HOME/.cache/deno"', DENO_DIR],
    env,
    clearEnv: true,
  });
  strictEqual((await link.output()).code, 0);
  return { ...env, PATH: `${dirname(Deno.execPath())}:${env.PATH}` };
}

/** A port that nobody listens on. */
function freePort(): string {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return String(listener.addr.port);
}

/** The settings and the line, with this checkout and the scripted server in their places. */
function shellLine(what: string, { host }: { readonly host: string }): string {
  const { settings, lines } = readmeLines();
  return `${settings}\n${lines.get(what)}`
    .replace(/^A=.*$/m, `A='${CHECKOUT}'`)
    .replace(/^M=.*$/m, `M=${host}`)
    .replaceAll("127.0.0.1:11434", host)
    .replaceAll("8484", freePort())
    .replaceAll("example.com", "nowhere.invalid");
}

Deno.test("least privilege: each line of README has a test here", () => {
  deepStrictEqual([...readmeLines().lines.keys()], Object.keys(LINES));
});

for (const [what, { replies = [], before, done }] of Object.entries(LINES)) {
  Deno.test(`least privilege: ${what}, by the line of README`, {
    ignore: !HAS_TERMINAL,
  }, async () => {
    await using server = await startOpenAIServer({ replies });
    await using home = await openHome(server.baseUrl);
    await before?.(home);
    const project = await makeProject(home);
    const env = await environmentOf(home);
    const line = shellLine(what, new URL(server.baseUrl));
    await using terminal = openShellLine(line, { env, cwd: project });
    const hasSessions = () =>
      [...Deno.readDirSync(home.path)].some(({ name }) => name === ".local");
    await done({ home, project, server, terminal, hasSessions });
    doesNotMatch(terminal.shown, RUNTIME_ASKS);
  });
}

/** The line with one of its grants left out, for each of them. */
function withoutEach(line: string): readonly { readonly grant: string; readonly line: string }[] {
  const [, variables = ""] = /^E=(.*)$/m.exec(line) ?? [];
  const given = line.replaceAll("$E", variables);
  return [...given.matchAll(/--allow-([a-z]+)=(\S+)/g)].flatMap(([whole, kind, list = ""]) => {
    const items = list.split(",");
    return items.map((item) => {
      const left = items.filter((other) => other !== item).join(",");
      const flag = left === "" ? "" : `--allow-${kind}=${left}`;
      return { grant: `--allow-${kind}=${item}`, line: given.replace(whole, flag) };
    });
  });
}

Deno.test(
  "least privilege: whichever grant is left out, the runtime asks nothing, and what cannot go on names the flag",
  {
    ignore: !HAS_TERMINAL,
  },
  async () => {
    await using server = await startOpenAIServer({
      otherwise: script("function run() { answer([typeof writeFile, typeof exec].join(' ')); }"),
    });
    const what = "a change to a project with make and git, neither of which is asked about";
    const ended: string[] = [];
    for (const { grant, line } of withoutEach(shellLine(what, new URL(server.baseUrl)))) {
      await using home = await openHome(server.baseUrl);
      const env = { ...await environmentOf(home), OPENAI_API_KEY: "sk-of-nobody" };
      await using terminal = openShellLine(line, { env, cwd: await makeProject(home) });
      const code = await terminal.ended();
      doesNotMatch(terminal.shown, RUNTIME_ASKS, grant);
      doesNotMatch(terminal.shown, /\bat file:|Internal error/, grant);
      const [, kind = ""] = /^--allow-([a-z]+)/.exec(grant) ?? [];
      if (code !== 0) match(terminal.shown, new RegExp(`--allow-${kind}=\\S`), grant);
      const [, outcome] = /^((?:undefined|function) \w+)\r$/m.exec(terminal.shown) ?? [];
      ended.push(`${grant} ${outcome ?? "fails"}`);
    }
    deepStrictEqual(ended, [
      "--allow-read=$A fails",
      "--allow-read=$D fails",
      "--allow-read=. undefined undefined",
      "--allow-write=$D fails",
      "--allow-write=. undefined function",
      "--allow-run=$R fails",
      "--allow-run=sh function undefined",
      "--allow-run=make function function",
      "--allow-run=git function function",
      "--allow-env=HOME fails",
      "--allow-env=OPENAI_API_KEY function function",
      "--allow-env=OPENAI_BASE_URL fails",
      "--allow-env=OPENAI_CHAT_MODEL function function",
      "--allow-env=PATH function function",
      "--allow-net=$M fails",
    ]);
  },
);

const WITHOUT_GRANT: Readonly<Record<string, RegExp>> = {
  init: /--allow-write=\S*project\/\.agentloop\b/,
  "init --cwd ..": /--allow-read=\.\./,
  "trust --yes": /--allow-write=\S*agentloop\/trusted/,
  "trust revoke": /--allow-write=\S*agentloop\/trusted/,
  "--ephemeral --secret TOKEN hi": /--allow-env=TOKEN.*--allow-read=\.\/\.env/,
};

for (const [args, named] of Object.entries(WITHOUT_GRANT)) {
  Deno.test(
    `least privilege: without the grant for what it touches, ${args} names it, and the runtime asks nothing`,
    {
      ignore: !HAS_TERMINAL,
    },
    async () => {
      await using server = await startOpenAIServer({ otherwise: "hi" });
      await using home = await openHome(server.baseUrl);
      const project = await makeProject(home);
      await Deno.mkdir(`${project}/config/.agentloop`, { recursive: true });
      await Deno.writeTextFile(`${project}/config/.agentloop/config.json`, '{ "model": "m" }');
      const { host } = new URL(server.baseUrl);
      const isTrust = args.startsWith("trust");
      const reads = args.includes("--secret") ? "" : `,'${project}'`;
      const line =
        `deno run --cached-only --allow-read='${CHECKOUT}'${reads} --allow-net=${host} ` +
        `--allow-env=HOME,OPENAI_BASE_URL,OPENAI_CHAT_MODEL '${CHECKOUT}/cli.ts' ${args}`;
      await using terminal = openShellLine(line, {
        env: { ...await environmentOf(home), OPENAI_API_KEY: "sk-of-nobody" },
        cwd: isTrust ? `${project}/config` : project,
      });
      notStrictEqual(await terminal.ended(), 0);
      doesNotMatch(terminal.shown, RUNTIME_ASKS);
      match(terminal.shown, named);
    },
  );
}
