/** The scripts of `completions`, each driven in the shell that it is for. Shells that are not installed are passed over. */
import { deepEqual, equal, match } from "node:assert/strict";
import type { CommandInfo } from "../../cli/command.ts";
import { bashScript } from "../../cli/completions/bash_script.ts";
import { type CompletionTable, completionTable } from "../../cli/completions/completion_table.ts";
import { fishScript } from "../../cli/completions/fish_script.ts";
import { zshScript } from "../../cli/completions/zsh_script.ts";
import { type Home, openHome } from "./cli_process.ts";

/** Lines at the prompt, their last word unfinished, and what completes it; bash and fish. */
const CASES: readonly (readonly [words: readonly string[], completions: readonly string[]])[] = [
  [["se"], ["serve", "sessions"]],
  [["sessions", "r"], ["revoke", "rm"]],
  [["sessions", "rm", "--no-c"], ["--no-color", "--no-config"]],
  [["--approve", ""], ["auto", "deny", "prompt", "stdio", "wait"]],
  [["sessions", "calls", "--ou"], ["--outcome"]],
  [["sessions", "calls", "s", "--outcome", "re"], ["refused", "result"]],
  [["sessions", "rm", "--ou"], []],
  [["--db", "x", "--max-"], ["--max-cost", "--max-steps", "--max-tokens"]],
  [["doctor", "--max-"], []],
  [["doctor", "--off"], ["--offline"]],
  [["What is this?", "--ver"], ["--verbose", "--version"]],
  [["help", "doc"], ["doctor"]],
  [["completions", ""], ["bash", "fish", "zsh"]],
  [["trust", ""], ["revoke"]],
  [["--model", ""], []],
  [["--db", "f"], ["file.txt"]],
  [["--context", "@f"], ["@file.txt"]],
  [["--", "--max-"], []],
];

const HAS_BASH = await isInstalled("bash");
// Its completions need a terminal, which `script` of util-linux gives.
const HAS_ZSH = Deno.build.os === "linux" && await isInstalled("zsh");
const HAS_FISH = await isInstalled("fish");

async function isInstalled(shell: string): Promise<boolean> {
  try {
    const { success } = await new Deno.Command(shell, { args: ["--version"] }).output();
    return success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotCapable) {
      return false;
    }
    throw error;
  }
}

/** Runs a shell in a home with files in it, and gives the lines of its stdout. */
async function lines(home: Home, command: readonly string[]): Promise<string[]> {
  const [program = "", ...args] = command;
  const { code, stdout, stderr } = await new Deno.Command(program, {
    args,
    clearEnv: true,
    env: home.env({ TERM: "xterm", ZDOTDIR: home.path }),
    cwd: `${home.path}/files`,
  }).output();
  equal(new TextDecoder().decode(stderr), "");
  equal(code, 0);
  return new TextDecoder().decode(stdout).split("\n").slice(0, -1);
}

/** A home with files to complete, and the script of a shell. */
async function openScript(name: "bash" | "zsh" | "fish"): Promise<Home> {
  const home = await openHome();
  await Deno.mkdir(`${home.path}/files/dir one`, { recursive: true });
  await Deno.writeTextFile(`${home.path}/files/file.txt`, "");
  const { code, stdout } = await home.run(["completions", name]);
  equal(code, 0);
  await Deno.writeTextFile(`${home.path}/script`, stdout);
  return home;
}

function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A line for bash that calls the function as bash does, and prints what it offers. */
function bashCall(words: readonly string[]): string {
  const all = ["agentloop", ...words].map(shellWord).join(" ");
  return `COMP_WORDS=(${all}); COMP_CWORD=${words.length}; _agentloop; ` +
    `printf '%s\\n' "\${COMPREPLY[@]}" | sort | tr '\\n' ';'; echo`;
}

Deno.test(
  "completions: where bash quotes no names itself, as 3.2, a file's name cannot become a command",
  {
    ignore: !HAS_BASH,
  },
  async () => {
    await using home = await openScript("bash");
    await Deno.writeTextFile(`${home.path}/files/g$(touch x);y`, "");
    const offered = await lines(home, [
      "bash",
      "-c",
      `enable -n compopt; source ../script\n${bashCall(["--db", "g"])}\n${
        bashCall(["--context", "@g"])
      }`,
    ]);
    deepEqual(offered, ["g\\$\\(touch\\ x\\)\\;y;", "@g\\$\\(touch\\ x\\)\\;y;"]);
  },
);

/** Types at the prompt of a zsh that has read the script, and gives what stands there after each. */
async function atZshPrompt(home: Home, typed: readonly string[]): Promise<string[]> {
  await Deno.writeTextFile(
    `${home.path}/.zshrc`,
    `autoload -U compinit && compinit -u -D
unsetopt automenu beep
source ../script
note() { print -r -- "$BUFFER|" >> ../noted; BUFFER= }
zle -N note
bindkey '^T' note
`,
  );
  const child = new Deno.Command("script", {
    args: ["-qec", "stty cols 100 rows 50; exec zsh -i", "/dev/null"],
    clearEnv: true,
    env: home.env({ TERM: "xterm", ZDOTDIR: home.path }),
    cwd: `${home.path}/files`,
    stdin: "piped",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  const keys = typed.map((line) => `${line}\x14`).join("");
  await writer.write(new TextEncoder().encode(`${keys}exit\n`));
  await child.status;
  await writer.close().catch(() => {});
  return (await Deno.readTextFile(`${home.path}/noted`)).split("|\n").slice(0, -1);
}

Deno.test("completions: bash offers commands, options, values and files", {
  ignore: !HAS_BASH,
}, async () => {
  await using home = await openScript("bash");
  const script = [
    "source ../script",
    "complete -p agentloop",
    ...CASES.map(([words]) => bashCall(words)),
    // "=" is a word of its own in bash.
    bashCall(["--approve", "=", "a"]),
    bashCall(["--approve", "="]),
    bashCall(["--cwd", ""]),
    'COMP_WORDBREAKS=" "',
    bashCall(["--approve=d"]),
  ].join("\n");
  const [registered, ...offered] = await lines(home, ["bash", "--norc", "-c", script]);
  equal(registered, "complete -F _agentloop agentloop");
  deepEqual(
    offered.map((line) => line.split(";").filter((word) => word !== "")),
    [
      ...CASES.map(([, completions]) => completions),
      ["auto"],
      ["auto", "deny", "prompt", "stdio", "wait"],
      ["dir one"],
      ["--approve=deny"],
    ],
  );
});

Deno.test("completions: fish offers commands, options, values and files", {
  ignore: !HAS_FISH,
}, async () => {
  await using home = await openScript("fish");
  const cases: typeof CASES = [
    ...CASES,
    [["--approve=a"], ["--approve=auto"]],
    [["--cwd", ""], ["dir one/"]],
  ];
  const script = [
    "source ../script",
    ...cases.map(([words]) => {
      const line = ["agentloop", ...words].map((word) => word.replaceAll(" ", "\\ ")).join(" ");
      return `echo (complete -C ${
        shellWord(line)
      } | string replace -r '\\t.*' '' | sort | string join ';')`;
    }),
  ].join("\n");
  const offered = await lines(home, ["fish", "--no-config", "-c", script]);
  deepEqual(
    offered.map((line) => line.split(";").filter((word) => word !== "")),
    cases.map(([, completions]) => completions),
  );
});

Deno.test("completions: zsh completes commands, options, values and files at its prompt", {
  ignore: !HAS_ZSH,
}, async () => {
  await using home = await openScript("zsh");
  const cases = [
    ["sess", "sessions "],
    ["sessions sh", "sessions show "],
    ["--approve au", "--approve auto "],
    ["--approve=au", "--approve=auto "],
    ["doctor --max", "doctor --max"],
    ["--max-st", "--max-steps="],
    ["--db x doct", "--db x doctor "],
    ["--cwd di", "--cwd dir\\ one/"],
    ["--db=fi", "--db=file.txt "],
    ["--context @fi", "--context @file.txt "],
    ["completions f", "completions fish "],
    ["help doc", "help doctor "],
    ["trust r", "trust revoke "],
  ] as const;
  const typed = cases.map(([line]) => `agentloop ${line}\t`);
  deepEqual(await atZshPrompt(home, typed), cases.map(([, line]) => `agentloop ${line}`));
});

/** A table in which every text tries to break out of its quotes. */
function hostileTable(): CompletionTable {
  const text = "a'b\\' $(touch ran) `touch ran` \"; touch ran; [x]: (y) %s {z}";
  const command: CommandInfo = {
    name: "run",
    usage: "",
    summary: text,
    details: [],
    options: ["approve", "db"],
  };
  const table = completionTable([command, { ...command, name: `two ${text}` }], [
    { name: "approve", field: "approve", kind: "text", help: text, value: text },
    { name: "db", field: "db", kind: "text", help: text, value: text },
  ]);
  return {
    ...table,
    options: table.options.map((option) =>
      option.name === "approve" ? { ...option, completes: [text, "$(touch ran)"] } : option
    ),
  };
}

Deno.test("completions: no text of the tables is run or expanded", async () => {
  await using home = await openHome();
  await Deno.mkdir(`${home.path}/files`);
  const table = hostileTable();
  await Deno.writeTextFile(`${home.path}/bash`, bashScript(table));
  await Deno.writeTextFile(`${home.path}/script`, zshScript(table));
  await Deno.writeTextFile(`${home.path}/fish`, fishScript(table));
  const value = "a'b\\' $(touch ran) `touch ran` \"; touch ran; [x]: (y) %s {z}";
  if (HAS_BASH) {
    const call = ["source ../bash", bashCall(["--approve", "a"]), bashCall(["two", ""])].join("\n");
    const [values, words] = await lines(home, ["bash", "--norc", "-c", call]);
    equal(values, `${value};`);
    equal(words, `${value};`);
  }
  if (HAS_FISH) {
    const call = "source ../fish; complete -C 'agentloop --approve '; complete -C 'agentloop two '";
    const offered = await lines(home, ["fish", "--no-config", "-c", call]);
    match(offered.join("\n"), /touch ran/);
  }
  if (HAS_ZSH) {
    const typed = ["agentloop --approve a\t", "agentloop two a\t", "agentloop -\t"];
    const [values, words] = await atZshPrompt(home, typed);
    match(values ?? "", /^agentloop --approve a.*touch\\ ran/);
    match(words ?? "", /^agentloop two a.*touch\\ ran/);
  }
  deepEqual([...Deno.readDirSync(`${home.path}/files`)], []);
});

Deno.test("completions: another shell is wrong use", async () => {
  await using home = await openHome();
  for (const args of [["completions"], ["completions", "tcsh"], ["completions", "bash", "zsh"]]) {
    const { code, stdout, stderr } = await home.run(args);
    equal(code, 3);
    equal(stdout, "");
    match(stderr, /bash, zsh, fish\nTry: agentloop help completions\n$/);
  }
});
