import { deepEqual, doesNotMatch, equal, match, ok, rejects, throws } from "node:assert/strict";
import { join } from "node:path";
import { execCapability, type ExecOptions } from "../../../ext/exec/mod.ts";
import { execFunction, execPack, makeWorkspace, type Workspace } from "./workspace.ts";

/** The message of a call that fails; it names no path of this machine and has no stack. */
async function refusal(workspace: Workspace, ...call: Parameters<Workspace["exec"]>) {
  let message: string | undefined;
  await workspace.exec(...call).catch((error: Error) => message = error.message);
  ok(message !== undefined, `${JSON.stringify(call)} was not refused`);
  equal(message.includes(workspace.root), false, message);
  doesNotMatch(message, /\n| at .*:\d+/);
  return message;
}

Deno.test("exec: a text is refused with the list to write, and arguments are not expanded", async () => {
  await using workspace = await makeWorkspace();
  match(
    await refusal(workspace, ["git status -s"]),
    /write exec\(\["git", "status", "-s"\]\)/,
  );
  match(await refusal(workspace, ["ls | wc"]), /exec\(\["git", "commit", "-m", "two words"\]\)/);
  equal((await workspace.exec([["echo", "$HOME", "*", ";", "a b"]])).stdout, "$HOME * ; a b\n");
});

Deno.test("exec: a text runs by the shell where the embedder allows it", async () => {
  await using workspace = await makeWorkspace();
  equal((await workspace.exec(["echo a | tr a b"], { allowShell: true })).stdout, "b\n");
});

Deno.test("exec: arguments of the wrong form are refused", async () => {
  await using workspace = await makeWorkspace();
  match(await refusal(workspace, []), /takes a list/);
  match(await refusal(workspace, [[]]), /needs the name of a command/);
  match(await refusal(workspace, [[""]]), /needs the name of a command/);
  match(await refusal(workspace, [["echo", 1]]), /argument 1 is a value of type number/);
  match(await refusal(workspace, [["echo", "a\0b"]]), /character 0/);
  match(await refusal(workspace, [["echo"], ["a"]]), /second argument of exec is an object/);
  match(await refusal(workspace, [["echo"], { timeout: 1 }]), /no option "timeout"/);
  match(await refusal(workspace, [["echo"], { stdin: { a: 1 } }]), /stdin must be text/);
  match(await refusal(workspace, [["echo"], { timeoutMs: 0 }]), /timeoutMs must be/);
  match(await refusal(workspace, [["echo"], { cwd: 1 }]), /cwd must be/);
  match(await refusal(workspace, [["echo"], { cwd: "a\0" }]), /character 0/);
  match(await refusal(workspace, [["echo"], { env: ["A"] }]), /env must be/);
});

Deno.test("exec: no script gets more time than the embedder gives", async () => {
  await using workspace = await makeWorkspace();
  const call = workspace.exec([["sleep", "300"], { timeoutMs: 1e9 }], { timeoutMs: 200 });
  equal((await call).timedOut, true);
});

Deno.test("exec: a command that cannot be run is named, and why", async () => {
  await using workspace = await makeWorkspace();
  await workspace.write("plain", "x");
  await workspace.write("lost", "#!/nowhere/interpreter\n", 0o755);
  await Deno.mkdir(join(workspace.root, "folder"));
  await workspace.exec([["mkfifo", "fifo"]]);
  match(await refusal(workspace, [["no-such-command"]]), /no command "no-such-command"/);
  match(await refusal(workspace, [["./nothing"]]), /no command "\.\/nothing"/);
  match(await refusal(workspace, [["./plain"]]), /"\.\/plain" is not executable/);
  match(await refusal(workspace, [["./plain/x"]]), /no command "\.\/plain\/x"/);
  match(await refusal(workspace, [["./folder"]]), /"\.\/folder" is a folder/);
  match(await refusal(workspace, [["./fifo"]]), /"\.\/fifo" is no file/);
  match(await refusal(workspace, [["./lost"]]), /no command "\.\/lost", or not what it needs/);
  match(await refusal(workspace, [["echo", "x".repeat(5e6)]]), /Argument list too long/);
});

Deno.test("exec: a command with a path is found from the cwd, stays inside, and is the policy's own target", async () => {
  await using workspace = await makeWorkspace();
  await Deno.mkdir(join(workspace.root, "in"));
  await workspace.write("in/tool", "#!/bin/sh\necho tool $1\n", 0o755);
  await Deno.writeTextFile(join(workspace.neighbour, "evil"), "#!/bin/sh\n", { mode: 0o755 });
  await workspace.link("link", join(workspace.neighbour, "evil"));
  await workspace.link("inner", "in/tool");
  equal((await workspace.exec([["./tool", "1"], { cwd: "in" }])).stdout, "tool 1\n");
  equal((await workspace.exec([["in/tool", "2"]])).stdout, "tool 2\n");
  equal((await workspace.exec([["./inner", "3"]])).stdout, "tool 3\n");
  match(await refusal(workspace, [["../ws-evil/evil"]]), /leads out of the folder/);
  match(await refusal(workspace, [["./link"]]), /leads out of the folder/);
  // A file of the workspace does not pass for a command by its name alone.
  match(await refusal(workspace, [["tool"], { cwd: "in" }]), /no command "tool"/);
  const absolute = join(workspace.neighbour, "evil");
  equal((await workspace.exec([[absolute]])).code, 0);
  const strict = { allowAbsolute: false };
  await rejects(workspace.exec([[absolute]], strict), /leads out of the folder/);
  equal((await workspace.exec([[join(workspace.root, "in/tool"), "4"]], strict)).code, 0);
});

Deno.test("exec: the policy's target is the command as written, so that ./git is not git", async () => {
  const { target, sideEffect } = await execFunction({ root: "." });
  equal(target!([["git", "status"]]), "git");
  equal(target!([["./git"]]), "./git");
  equal(target!([["/tmp/git"]]), "/tmp/git");
  equal(target!(["git status"]), "sh");
  equal(target!([[]]), undefined);
  equal(sideEffect, true);
});

Deno.test("FIL-01 FIL-02 exec: the cwd stays inside of the root, links resolved", async () => {
  await using workspace = await makeWorkspace();
  const { root, neighbour } = workspace;
  for (const folder of ["..notes", "a", "a/..b"]) await Deno.mkdir(join(root, folder));
  await workspace.link("dir", neighbour);
  await workspace.link("a/up", "../../..");
  await workspace.link("same", "a");
  await workspace.write("file", "");
  const where = async (cwd: string) => (await workspace.exec([["pwd"], { cwd }])).stdout.trim();
  equal(await where("."), root);
  equal(await where("a/.."), root);
  equal(await where("..notes"), join(root, "..notes"));
  equal(await where("a/..b"), join(root, "a/..b"));
  equal(await where("same"), join(root, "a"));
  equal(await where(join(root, "a")), join(root, "a"));
  for (const cwd of ["..", "../ws-evil", "dir", "a/up", "/", "a/../../ws-evil"]) {
    match(await refusal(workspace, [["pwd"], { cwd }]), /leads out of the folder/);
  }
  await rejects(workspace.exec([["pwd"], { cwd: neighbour }]), /leads out of the folder/);
  match(await refusal(workspace, [["pwd"], { cwd: "none" }]), /the cwd "none" is not there/);
  match(await refusal(workspace, [["pwd"], { cwd: "file" }]), /the cwd "file" is no folder/);
});

Deno.test("exec: the environment has the allowed names and no others", async () => {
  await using workspace = await makeWorkspace();
  Deno.env.set("EXEC_TEST_API_KEY", "sk-test-ABCDEFGH");
  Deno.env.set("LC_ALL", "C");
  try {
    const { stdout } = await workspace.exec(
      [["env"], { env: { CI: "1", __proto__x: "y" } }],
      { env: { SET_BY_PROGRAM: "yes" } },
    );
    const lines = stdout.trim().split("\n");
    const names = lines.map((line) => line.split("=")[0]!);
    const allowed = /^(PATH|HOME|TERM|TMPDIR|LANG|LC_[A-Z]+|CI|__proto__x|SET_BY_PROGRAM)$/;
    deepEqual(names.filter((name) => !allowed.test(name)), []);
    for (const line of ["CI=1", "SET_BY_PROGRAM=yes", "LC_ALL=C"]) ok(lines.includes(line), line);
    ok(names.includes("PATH"));
  } finally {
    Deno.env.delete("EXEC_TEST_API_KEY");
    Deno.env.delete("LC_ALL");
  }
});

Deno.test("exec: folders of PATH that are relative are not handed on", async () => {
  await using workspace = await makeWorkspace();
  await workspace.write("local-tool", "#!/bin/sh\n", 0o755);
  const path = Deno.env.get("PATH")!;
  Deno.env.set("PATH", `.::${path}`);
  try {
    match(await refusal(workspace, [["local-tool"]]), /no command "local-tool"/);
  } finally {
    Deno.env.set("PATH", path);
  }
});

Deno.test("exec: variables that change what programs load are refused, and the embedder's stay", async () => {
  await using workspace = await makeWorkspace();
  const names = [
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "DYLD_INSERT_LIBRARIES",
    "NODE_OPTIONS",
    "DENO_DIR",
    "BASH_ENV",
    "PYTHONPATH",
    "PATH",
    "Path",
  ];
  for (const name of names) {
    const message = await refusal(workspace, [["true"], { env: { [name]: "x" } }]);
    match(message, new RegExp(`exec does not set ${name}: it would change`));
  }
  const options = { env: { TOKEN: "t" } };
  match(
    await refusal(workspace, [["true"], { env: { TOKEN: "x" } }], options),
    /program has set it/,
  );
  match(await refusal(workspace, [["true"], { env: { "A=B": "x" } }]), /is no name/);
  match(await refusal(workspace, [["true"], { env: { A: 1 } }]), /must be text/);
  match(await refusal(workspace, [["true"], { env: { A: "\0" } }]), /character 0/);
});

Deno.test("exec: a person is shown the whole command, with what is hidden made visible", async () => {
  const preview = (await execFunction({ root: "." })).preview!;
  const shown = await preview([["git", "a b\n\u001b[2J\u202e\u009b"], {
    cwd: "src",
    env: { CI: "1\n" },
    stdin: "ä\n",
  }]);
  equal(
    shown,
    '"git" "a b\\n\\u001b[2J\\u202e\\u009b"\ncwd: "src"\nenv: CI="1\\n"\nstdin: 3 bytes',
  );
  const long = "x".repeat(5000);
  equal(await preview([["echo", long, "-n"]]), `"echo"\n"${long}"\n"-n"`);
  equal(
    await (await execFunction({ root: ".", allowShell: true })).preview!(["ls | wc"]),
    '"sh" "-c" "ls | wc"',
  );
});

Deno.test("exec: the declaration is short, and the gate waits longer than the command may take", async () => {
  for (const allowShell of [true, false]) {
    const { prompt, functions } = await execPack({ root: ".", allowShell, timeoutMs: 5000 });
    ok(prompt.length < 350, `${prompt.length} bytes`);
    ok(functions[0]!.timeoutMs! >= 5000 + 4000);
  }
  ok((await execFunction({ root: "." })).timeoutMs! > 120_000);
});

Deno.test("exec: options out of range are refused when the capability is made", () => {
  const make = (options: Partial<ExecOptions>) => () => execCapability({ root: ".", ...options });
  throws(make({ root: "" }), TypeError);
  throws(make({ timeoutMs: 0 }), RangeError);
  throws(make({ timeoutMs: 2 ** 31 }), RangeError);
  throws(make({ maxOutputBytes: 0 }), RangeError);
  throws(make({ env: { "A=B": "" } }), TypeError);
  throws(make({ timeout: 5 } as never), {
    name: "TypeError",
    message: /^execCapability: there is no option timeout; there are root, timeoutMs, /,
  });
});

/** Runs calls in a program that has these permissions only; each gives its output or its error's message. */
async function withPermissions(
  { root }: Workspace,
  flags: readonly string[],
  calls: readonly (readonly string[])[],
): Promise<readonly string[]> {
  const program = `
    import { execCapability } from ${
    JSON.stringify(import.meta.resolve("../../../ext/exec/mod.ts"))
  };
    const signal = new AbortController().signal;
    const [pack] = execCapability({ root: ${JSON.stringify(root)} }).build({});
    const results = [];
    for (const argv of ${JSON.stringify(calls)}) {
      try {
        results.push((await pack.functions[0].execute([argv], { signal })).stdout);
      } catch (error) {
        results.push(error.message);
      }
    }
    console.log(JSON.stringify(results));`;
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      "--no-check",
      ...flags,
      `data:text/javascript,${encodeURIComponent(program)}`,
    ],
    stdin: "null",
  }).output();
  const text = new TextDecoder();
  ok(stdout.length > 0, text.decode(stderr));
  return JSON.parse(text.decode(stdout));
}

Deno.test("exec: the permissions for the commands, for sh and for the root are enough", async () => {
  await using workspace = await makeWorkspace();
  const read = `--allow-read=${workspace.root}`;
  const [shown, refused] = await withPermissions(
    workspace,
    [read, "--allow-run=sh,env", "--allow-env=HOME"],
    [["env"], ["ls"]],
  );
  equal(shown, `HOME=${Deno.env.get("HOME")}\n`);
  match(refused!, /no command "ls" that the program may run/);
  deepEqual(await withPermissions(workspace, [read, "--allow-run=sh,env"], [["env"]]), [""]);
  match(
    (await withPermissions(workspace, [read, "--allow-run=env"], [["env"]]))[0]!,
    /no command "sh" that the program may run/,
  );
  match(
    (await withPermissions(workspace, ["--allow-run=sh,env"], [["env"]]))[0]!,
    /lacks --allow-read/,
  );
});
