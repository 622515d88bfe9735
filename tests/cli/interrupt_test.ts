import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { startOpenAIServer } from "../fixtures/openai_server.ts";
import { until } from "../sandbox/process_table.ts";
import { type Home, jsonLines, onlyResult, openHome, processesOf, script } from "./cli_process.ts";

/** Reads stdout until a text has come, and hands out the rest on request. */
async function readUntil(child: Deno.ChildProcess, text: string) {
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let seen = "";
  async function read(): Promise<boolean> {
    const { done, value } = await reader.read();
    seen += value ?? "";
    return !done;
  }
  while (!seen.includes(text) && await read());
  return async () => {
    while (await read());
    return seen;
  };
}

async function sessionStatus(home: Home): Promise<string> {
  return jsonLines((await home.run(["sessions", "ls", "--json"])).stdout)[0].status;
}

for (const [signal, exitCode] of [["SIGINT", 130], ["SIGTERM", 143]] as const) {
  Deno.test(`CLI-05: ${signal} while the model is asked ends with ${exitCode}, a last JSON line and a recorded end`, async () => {
    const asked = Promise.withResolvers<void>();
    await using server = await startOpenAIServer({
      replies: [() => {
        asked.resolve();
        return { pieces: [], end: "stall" };
      }],
    });
    await using home = await openHome(server.baseUrl);
    await using child = home.start(["--json", "--session", "s", "go"]);
    const rest = await readUntil(child, '"turn_start"');
    await asked.promise;
    child.kill(signal);
    const { code } = await child.status;
    strictEqual(code, exitCode);
    const stdout = await rest();
    const result = onlyResult(stdout);
    strictEqual(result.status, "error");
    strictEqual(result.reason, "aborted");
    strictEqual(result.exit_code, exitCode);
    deepStrictEqual(result.error, { type: "aborted", message: `Stopped by ${signal}.` });
    strictEqual(jsonLines(stdout).at(-2).type, "done");
    match(await new Response(child.stderr).text(), /^agentloop: Stopped by SIG/);
    strictEqual(await sessionStatus(home), "error");
    const steps = jsonLines((await home.run(["sessions", "show", "s", "--json"])).stdout);
    deepStrictEqual(
      steps.filter((line) => line.type === "step").map((line) => line.step_type),
      ["user", "error"],
    );
  });
}

Deno.test("CLI-05: a busy script is stopped by SIGINT and leaves no process behind", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  await using server = await startOpenAIServer({
    replies: [script("function run() { for (;;); }")],
  });
  await using home = await openHome(server.baseUrl);
  await using child = home.start(["--json", "go"]);
  const rest = await readUntil(child, '"execute_js"');
  await until("its guest is there", async () => (await processesOf(home)).length === 2);
  child.kill("SIGINT");
  strictEqual((await child.status).code, 130);
  strictEqual(onlyResult(await rest()).exit_code, 130);
  await child.stderr.cancel();
  deepStrictEqual(await processesOf(home), []);
});

for (const [signal, exitCode] of [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]] as const) {
  Deno.test(
    `EXE-06: ${signal} while a command runs that ignores it ends both, and all that the command started`,
    {
      ignore: Deno.build.os !== "linux",
    },
    async () => {
      await using server = await startOpenAIServer({
        replies: [script(`function run() {
  exec(["sh", "-c", 'trap "" HUP INT TERM; sleep 300 & echo "$!" > started; wait']);
}`)],
      });
      await using home = await openHome(server.baseUrl);
      await using child = home.start(["--json", "--approve", "auto", "--session", "s", "go"]);
      const rest = await readUntil(child, '"execute_js"');
      const started = () => Deno.readTextFile(`${home.path}/started`).catch(() => "");
      await until("the command runs", async () => (await started()).endsWith("\n"));
      // The program, its guest, the command and what that started.
      strictEqual((await processesOf(home)).length, 4);
      child.kill(signal);
      await until("nothing is left", async () => (await processesOf(home)).length === 0, 2000);
      strictEqual((await child.status).code, exitCode);
      strictEqual(onlyResult(await rest()).exit_code, exitCode);
      await child.stderr.cancel();
      const calls = jsonLines((await home.run(["sessions", "show", "s", "--json"])).stdout)
        .filter((line) => line.type === "call");
      deepStrictEqual(calls.map((call) => [call.name, call.outcome]), [["exec", "cancelled"]]);
    },
  );
}

Deno.test("CLI-05: a second signal ends the program at once", async () => {
  await using server = await startOpenAIServer({
    otherwise: script("function run() { for (;;); }"),
  });
  await using home = await openHome(server.baseUrl);
  await using child = home.start(["--json", "go"]);
  const rest = await readUntil(child, '"execute_js"');
  child.kill("SIGINT");
  child.kill("SIGTERM");
  const { code } = await child.status;
  strictEqual([130, 143].includes(code), true, String(code));
  strictEqual(onlyResult(await rest()).exit_code, code);
  await child.stderr.cancel();
});

Deno.test("CLI-05: SIGINT ends a doctor whose request is not answered", async () => {
  const asked = Promise.withResolvers<void>();
  await using server = await startOpenAIServer({
    replies: [() => {
      asked.resolve();
      return { pieces: [], end: "stall" };
    }],
  });
  await using home = await openHome(server.baseUrl);
  await using child = home.start(["doctor", "--json"]);
  await asked.promise;
  child.kill("SIGINT");
  const { code, stdout } = await child.output();
  strictEqual(code, 130);
  strictEqual(onlyResult(new TextDecoder().decode(stdout)).reason, "aborted");
});

Deno.test("CLI-05: SIGTERM ends a command that waits for a file, opened or not", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  await using home = await openHome("http://127.0.0.1:9/v1");
  const pipe = `${home.path}/pipe`;
  await shell('mkfifo "$0"', pipe);
  for (const isOpen of [false, true]) {
    await using child = home.start(["hi", "--json", "--context", `@${pipe}`]);
    const writer = isOpen ? await Deno.open(pipe, { write: true }) : undefined;
    await until("it listens for signals", () => catches(child, 15));
    child.kill("SIGTERM");
    const { code, stdout } = await child.output();
    writer?.close();
    strictEqual(code, 143);
    strictEqual(onlyResult(new TextDecoder().decode(stdout)).reason, "aborted");
  }
});

/** Whether a process listens for a signal. Until it is the command that was started, it has the listeners of whoever started it. */
async function catches({ pid }: Deno.ChildProcess, signal: number): Promise<boolean> {
  const isStarted = 'grep -qa -- --context "/proc/$0/cmdline"';
  const read = 'sed -n "s/^SigCgt:[[:space:]]*/0x/p" "/proc/$0/status"';
  const mask = await shell(`${isStarted} && ${read}`, `${pid}`);
  return (BigInt(mask.trim()) >> BigInt(signal - 1) & 1n) === 1n;
}

async function shell(script: string, value: string): Promise<string> {
  const { stdout } = await new Deno.Command("sh", { args: ["-c", script, value] }).output();
  return new TextDecoder().decode(stdout);
}
