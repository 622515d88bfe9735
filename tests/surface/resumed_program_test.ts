/** A run that waits for a person's word in one process, is killed while another goes on with it, and is finished by a third. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { StoreFolder } from "../fixtures/store_folder.ts";

/** A program with one tool that sends a letter. `ask` lets the run wait; `resume` gives the word with changed arguments; while `slow`, sending takes for ever. */
function program(path: string, letters: string): string {
  const at = (file: string) => JSON.stringify(import.meta.resolve(`../../${file}`));
  return `
    import { createLoop } from ${at("mod.ts")};
    import { openSqliteStore } from ${at("stores/sqlite/mod.ts")};
    import { scriptedClient } from ${at("testing.ts")};
    import { defineTool, ToolRegistry } from ${at("tools/mod.ts")};
    const [action, pace] = Deno.args;
    const store = openSqliteStore(${JSON.stringify(path)});
    const send = defineTool({
      name: "send",
      description: "Sends a letter",
      parameters: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
      sideEffect: true,
      async execute({ to }) {
        Deno.writeTextFileSync(${JSON.stringify(letters)}, to + "\\n", { append: true });
        console.log("sending");
        if (pace === "slow") await new Promise(() => setInterval(() => {}, 1000));
        return "sent";
      },
    });
    const call = (id) => ({ toolCalls: [{ id, name: "send", arguments: { to: id } }] });
    const loop = createLoop({
      protocol: "tools",
      tools: new ToolRegistry([send]),
      llm: scriptedClient(action === "ask" ? [call("anna")] : ["It is done."]),
      sessions: store,
      steps: store,
      calls: store,
      approve: () => ({ decision: "wait" }),
    });
    const result = action === "ask"
      ? await loop.run({ sessionId: "s", message: "Write to Anna." })
      : await loop.resume({
        sessionId: "s",
        decision: { decision: "approve", args: [{ to: "berta" }] },
      });
    console.log(JSON.stringify({ status: result.status, text: result.finalText, pending: result.pending }));
    await store[Symbol.asyncDispose]();
  `;
}

class Letters {
  readonly #folder: StoreFolder;
  constructor(folder: StoreFolder) {
    this.#folder = folder;
  }

  /** Starts the program. */
  async start(...args: string[]): Promise<Deno.ChildProcess> {
    const { path } = this.#folder;
    const main = `${path}/main.ts`;
    await Deno.writeTextFile(main, program(`${path}/agent.db`, `${path}/letters.txt`));
    return new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "--no-prompt",
        "--no-lock",
        "--no-check",
        `--allow-read=${path}`,
        `--allow-write=${path}`,
        main,
        ...args,
      ],
      stdin: "null",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
  }

  /** Runs it to its end, and gives what it printed last. */
  async run(...args: string[]): Promise<Record<string, unknown>> {
    const { stdout } = await (await this.start(...args)).output();
    return JSON.parse(new TextDecoder().decode(stdout).trim().split("\n").at(-1) ?? "");
  }

  /** What was really sent. */
  sent(): string[] {
    try {
      return Deno.readTextFileSync(`${this.#folder.path}/letters.txt`).trim().split("\n");
    } catch {
      return [];
    }
  }
}

Deno.test("a run that waits is approved from another process with changed arguments, and finishes", async () => {
  using folder = new StoreFolder();
  const letters = new Letters(folder);
  const asked = await letters.run("ask");
  strictEqual(asked.status, "waiting");
  deepStrictEqual((asked.pending as { args: unknown }).args, [{ to: "anna" }]);
  deepStrictEqual(letters.sent(), []);
  const done = await letters.run("resume");
  deepStrictEqual([done.status, done.text], ["completed", "It is done."]);
  deepStrictEqual(letters.sent(), ["berta"]);
});

Deno.test("a process that is killed while it goes on with a run loses nothing, and nothing is done twice", async () => {
  using folder = new StoreFolder();
  const letters = new Letters(folder);
  await letters.run("ask");
  {
    await using child = await letters.start("resume", "slow");
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    match((await reader.read()).value ?? "", /sending/);
    child.kill("SIGKILL");
    await reader.cancel();
    await child.status;
  }
  deepStrictEqual(letters.sent(), ["berta"]);
  const done = await letters.run("resume");
  deepStrictEqual([done.status, done.text], ["completed", "It is done."]);
  deepStrictEqual(letters.sent(), ["berta"]);
});
