import { deepStrictEqual, match, strictEqual, throws } from "node:assert/strict";
import { asksForJson, parseCommandLine } from "./arguments.ts";
import { CliError } from "./failure.ts";

function parsed(...args: string[]) {
  const { command, words, options } = parseCommandLine(args);
  const given = Object.entries(options).filter(([, value]) => value !== false);
  return { command: command.name, words, options: Object.fromEntries(given) };
}

function refusal(...args: string[]): string {
  let message = "";
  throws(() => parseCommandLine(args), (error: unknown) => {
    message = (error as Error).message;
    return error instanceof CliError && error.type === "usage";
  });
  return message;
}

Deno.test("words that name no command are a message", () => {
  deepStrictEqual(parsed("What", "is", "this?"), {
    command: "run",
    words: ["What", "is", "this?"],
    options: {},
  });
  deepStrictEqual(parsed("run", "demo").words, ["demo"]);
  deepStrictEqual(parsed("demo the thing").words, ["demo the thing"]);
});

Deno.test("options may stand anywhere and take their value either way", () => {
  const expected = {
    command: "run",
    words: ["hi"],
    options: { session: "a", maxSteps: 3, timeoutMs: 90_000, json: true },
  };
  deepStrictEqual(
    parsed("--session", "a", "hi", "--max-steps=3", "--timeout", "90s", "--json"),
    expected,
  );
  deepStrictEqual(
    parsed("run", "--json", "--timeout=90", "--max-steps", "3", "--session=a", "hi"),
    expected,
  );
});

Deno.test("the last of several values counts", () => {
  strictEqual(parsed("--model", "a", "hi", "--model", "b").options.model, "b");
});

Deno.test("lists grow with each mention", () => {
  deepStrictEqual(
    parsed("hi", "--allow-net", "a.example, b.example", "--allow-net=c.example").options,
    {
      allowNet: ["a.example", "b.example", "c.example"],
    },
  );
  strictEqual(
    refusal("hi", "--allow-net", "a,,b"),
    "--allow-net holds an empty entry: --allow-net HOSTS",
  );
  strictEqual(
    refusal("hi", "--no-network", "--allow-private-net", "127.0.0.1"),
    "--no-network and --allow-private-net exclude each other: without the functions there is nothing to allow",
  );
});

Deno.test("everything behind -- is a word", () => {
  deepStrictEqual(parsed("--json", "--", "--model", "-x").words, ["--model", "-x"]);
});

Deno.test("text that begins with a dash is a word when it holds white space", () => {
  deepStrictEqual(parsed("- buy milk").words, ["- buy milk"]);
  deepStrictEqual(parsed("--context", "- one\n- two", "--flag like this").options, {
    context: "- one\n- two",
  });
  deepStrictEqual(parsed("--context=a = b", "hi").options, { context: "a = b" });
});

Deno.test("a single dash stays a word", () => {
  deepStrictEqual(parsed("sum", "up", "-").words, ["sum", "up", "-"]);
});

Deno.test("commands of a group are two words", () => {
  deepStrictEqual(parsed("sessions", "show", "a"), {
    command: "sessions show",
    words: ["a"],
    options: {},
  });
  strictEqual(
    refusal("sessions"),
    "sessions needs to know what to do: ls, waiting, show, calls, compact, rm, revoke",
  );
  strictEqual(refusal("sessions", "sho"), "unknown command sessions sho; did you mean show?");
  strictEqual(
    refusal("sessions", "delete"),
    "unknown command sessions delete; there are ls, waiting, show, calls, compact, rm, revoke",
  );
});

Deno.test("a slip in a command's name is not sent to a model", () => {
  match(
    refusal("docter"),
    /^unknown command docter; did you mean doctor\? .*agentloop run docter$/,
  );
  deepStrictEqual(parsed("hello").words, ["hello"]);
  deepStrictEqual(parsed("docter", "Who?").words, ["docter", "Who?"]);
});

Deno.test("an unknown option is named, with the one that was meant", () => {
  strictEqual(refusal("--modle", "x", "hi"), "unknown option --modle; did you mean --model?");
  strictEqual(refusal("--frobnicate"), "unknown option --frobnicate");
  strictEqual(refusal("--no-json", "hi"), "unknown option --no-json: leave --json out instead");
  strictEqual(refusal("-x"), "unknown option -x");
  strictEqual(refusal("--ba\x1b[2Jd"), "unknown option --ba\\x1b[2Jd");
});

Deno.test("an option that belongs to another command is refused", () => {
  strictEqual(refusal("demo", "--model", "x"), "demo does not take --model");
});

Deno.test("a missing or empty value is named", () => {
  strictEqual(refusal("hi", "--model"), "--model needs a value: --model NAME");
  strictEqual(refusal("hi", "--model="), "--model is empty: --model NAME");
  strictEqual(
    refusal("--model", "--json", "hi"),
    "--model needs a value, but --json follows; a value that begins with a dash is given as --model=NAME",
  );
  strictEqual(refusal("--json=yes", "hi"), "--json takes no value (got yes)");
});

Deno.test("amounts are decimal numbers", () => {
  deepStrictEqual(parsed("hi", "--max-cost", "0.25", "--price-prompt=.5").options, {
    maxCost: 0.25,
    pricePrompt: 0.5,
  });
  for (const value of ["1e3", "free", "1,5", "0x10", "1.", "Infinity"]) {
    strictEqual(
      refusal("hi", "--max-cost", value),
      `--max-cost must be a number such as 2 or 0.25, not ${value}`,
    );
  }
});

Deno.test("numbers and times are checked", () => {
  strictEqual(
    refusal("--max-steps", "0", "hi"),
    "--max-steps must be a whole number of at least 1, not 0",
  );
  strictEqual(
    refusal("--max-steps", "-1", "hi"),
    "--max-steps must be a whole number of at least 1, not -1",
  );
  strictEqual(
    refusal("--history-window", "1e3", "hi"),
    "--history-window must be a whole number of at least 0, not 1e3",
  );
  match(refusal("--timeout", "soon", "hi"), /^--timeout must be a time .* not soon$/);
  match(refusal("--timeout", "0", "hi"), /not 0$/);
  match(refusal("--timeout", "9999h", "hi"), /at most 24 days/);
});

Deno.test("options that exclude each other are refused", () => {
  match(refusal("--session", "a", "--continue", "hi"), /^--session and --continue exclude/);
  match(refusal("--ephemeral", "--continue", "hi"), /^--ephemeral and --continue exclude/);
  match(refusal("--ephemeral", "--db", "x", "hi"), /^--ephemeral and --db exclude/);
  match(refusal("--quiet", "--verbose", "hi"), /^--quiet and --verbose exclude/);
});

Deno.test("--help turns a line into a question about its command", () => {
  deepStrictEqual(parsed("--help"), { command: "help", words: [], options: { help: true } });
  deepStrictEqual(parsed("sessions", "-h").words, ["sessions"]);
  deepStrictEqual(parsed("sessions", "show", "x", "-h").words, ["sessions", "show"]);
  deepStrictEqual(parsed("Who", "are", "you?", "--help").words, []);
});

Deno.test("whether JSON was asked for can be told of a line that cannot be parsed", () => {
  strictEqual(asksForJson(["--modle", "x", "--json"]), true);
  strictEqual(asksForJson(["hi", "--", "--json"]), false);
});
