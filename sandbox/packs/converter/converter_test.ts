import { equal, match, ok, rejects, throws } from "node:assert/strict";
import { ConversionError } from "./conversion_error.ts";
import { type ConverterOptions, createConverter, type RunConverter } from "./converter.ts";

const HTML = { name: { call: "convert", input: "the HTML" }, task: { type: "html" } } as const;
/** Costs far more than any limit here allows: each level of quotes is written anew around all that is in it. */
const ENDLESS = "<blockquote>a<br>b".repeat(200_000);
const never = new AbortController().signal;

function convert(run: RunConverter, text: string, signal = never): Promise<string> {
  return run.convert({ ...HTML, text }, signal);
}

/** A converter with the run that it serves. Disposing it ends both and checks that no process is left. */
function startRun(options: ConverterOptions = {}) {
  const converter = createConverter(options);
  const end = new AbortController();
  return {
    converter,
    end,
    run: converter.forRun(end.signal),
    [Symbol.asyncDispose]: () => converter[Symbol.asyncDispose](),
  };
}

Deno.test("converter: both kinds of text, one process after the other", async () => {
  await using started = startRun();
  equal(await convert(started.run, "<h1>a</h1>"), "# a");
  const job = { ...HTML, task: { type: "markdown", part: "headings" } as const, text: "# a" };
  equal(
    await started.run.convert(job, never),
    '[{"level":1,"text":"a","content":"","children":[]}]',
  );
});

Deno.test("converter: text of every kind comes through unharmed", async () => {
  await using started = startRun();
  equal(
    await convert(started.run, "<p>ä€😀\u2028</p><pre>\u0000x\ud800</pre>"),
    "ä€😀\n\n```\nx\ufffd\n```",
  );
});

Deno.test("converter: one byte over the input limit is refused with both sizes, the limit itself is not", async () => {
  await using started = startRun({ maxInputBytes: 10 });
  equal(await convert(started.run, "ää😀ab"), "ää😀ab");
  await rejects(convert(started.run, "ää😀abc"), {
    name: "ConversionError",
    message: "convert: the HTML is 11 bytes, over the limit of 10 bytes; pass a smaller part of it",
  });
});

Deno.test("converter: one byte over the output limit is refused with both sizes, the limit itself is not", async () => {
  await using started = startRun({ maxOutputBytes: 10 });
  equal(await convert(started.run, "ää😀ab"), "ää😀ab");
  await rejects(convert(started.run, "ää😀abc"), {
    message:
      "convert: the result is 11 bytes, over the limit of 10 bytes; pass a smaller part of the HTML",
  });
});

Deno.test("converter: what takes too long is stopped with the limit's name, and the next text works", async () => {
  await using started = startRun({ timeoutMs: 300 });
  await rejects(convert(started.run, ENDLESS), {
    message: "convert: stopped at the limit of 300 ms; pass a smaller part of the HTML",
  });
  equal(await convert(started.run, "a"), "a");
});

Deno.test("converter: what needs too much memory is stopped with the limit's name, and the next text works", async () => {
  await using started = startRun({ memoryMib: 48, timeoutMs: 60_000 });
  await rejects(convert(started.run, "<p><b>a</b> <i>b</i></p>".repeat(150_000)), {
    message: "convert: stopped at the memory limit of 48 MiB; pass a smaller part of the HTML",
  });
  equal(await convert(started.run, "a"), "a");
});

Deno.test("converter: a text that cannot be converted is an error with the reason", async () => {
  await using started = startRun();
  await rejects(convert(started.run, "<b>x</b>".repeat(500_001)), {
    message: "convert: the HTML was not converted: it has more than 500000 elements",
  });
});

Deno.test("converter: the end of the call ends its process, waiting calls included", async () => {
  await using started = startRun({ maxProcesses: 1 });
  const call = new AbortController();
  const reason = new Error("enough");
  const busy = convert(started.run, ENDLESS, call.signal);
  const waiting = convert(started.run, "a", call.signal);
  const patient = convert(started.run, "b");
  setTimeout(() => call.abort(reason), 100);
  const outcomes = await Promise.allSettled([busy, waiting, patient]);
  equal(outcomes[0].status === "rejected" && outcomes[0].reason, reason);
  equal(outcomes[1].status === "rejected" && outcomes[1].reason, reason);
  equal(outcomes[2].status === "fulfilled" && outcomes[2].value, "b");
});

Deno.test("converter: the end of the run ends all of its calls and allows no more", async () => {
  await using started = startRun();
  const busy = rejects(convert(started.run, ENDLESS), /over/);
  await convert(started.run, "a");
  started.end.abort(new Error("over"));
  await busy;
  await rejects(convert(started.run, "a"), /over/);
});

Deno.test("converter: runs do not share processes, packs of one run do", async () => {
  await using started = startRun();
  const other = new AbortController();
  const own = started.converter.forRun(started.end.signal);
  equal(own, started.run);
  ok(started.converter.forRun(other.signal) !== started.run);
  equal(await convert(started.run, "a"), "a");
  equal(await convert(started.converter.forRun(other.signal), "b"), "b");
});

Deno.test("converter: more texts than processes are converted in their turn, over runs", async () => {
  await using started = startRun({ maxProcesses: 2 });
  const other = started.converter.forRun(new AbortController().signal);
  const texts = Array.from({ length: 8 }, (_, i) => `text ${i}`);
  const results = await Promise.all(
    texts.map((text, i) => convert(i % 2 === 0 ? started.run : other, text)),
  );
  equal(results.join(), texts.join());
});

Deno.test("converter: neither an idle process nor a forgotten one keeps the program from ending", async () => {
  const module = import.meta.resolve("./converter.ts");
  const program = `
    const { createConverter } = await import(${JSON.stringify(module)});
    const run = createConverter({ idleMs: 600_000 }).forRun(new AbortController().signal);
    const job = { name: { call: "c", input: "i" }, task: { type: "html" }, text: "<b>a</b>" };
    console.log(await run.convert(job, new AbortController().signal));`;
  const { stdout, stderr, code } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-lock", "--ext=ts", program],
    stdin: "null",
  }).output();
  equal(new TextDecoder().decode(stdout), "**a**\n", new TextDecoder().decode(stderr));
  equal(code, 0);
});

Deno.test({
  name: "converter: without the permission to start a process the error says how to grant it",
  permissions: { run: false },
  async fn() {
    await using started = startRun();
    await rejects(convert(started.run, "a"), /not permitted.*--allow-run=/);
  },
});

Deno.test("converter: options out of range are refused", () => {
  for (const options of [{ timeoutMs: 0 }, { maxInputBytes: NaN }, { memoryMib: -1 }]) {
    try {
      createConverter(options);
      ok(false);
    } catch (error) {
      match(String(error), /^RangeError: \w+ must be a number of at least 1, not /);
    }
  }
  throws(() => createConverter({ memoryMiB: 64 } as never), {
    name: "TypeError",
    message: /^convert: there is no option memoryMiB; there are timeoutMs, .*memoryMib, /,
  });
  equal(new ConversionError(HTML.name, "x").message, "convert: x");
});
