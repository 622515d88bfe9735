/**
 * Bytes of prompt: the protocol part of the system prompt, and the demo's data job against the same job by sequential tool calls.
 *
 *     deno run -A bench/prompt_bench.ts
 */
import { textEmissionSystemPrompt } from "../loop/prompt.ts";
import { report } from "./figures.ts";

const encoder = new TextEncoder();
const protocolBytes = encoder.encode(textEmissionSystemPrompt()).length;
report({
  name: "protocol part of the system prompt",
  unit: "B",
  values: [protocolBytes],
  bar: 2048,
});

const demo = await new Deno.Command(Deno.execPath(), {
  args: ["run", "-A", "--no-lock", "cli.ts", "demo"],
  cwd: new URL("..", import.meta.url).pathname,
  env: { NO_COLOR: "1" },
}).output();
if (!demo.success) throw new Error(new TextDecoder().decode(demo.stderr).slice(-500));
const text = new TextDecoder().decode(demo.stdout);
const sent = kibibytes(/Sent to the model:\s+([\d.]+) KiB/.exec(text)?.[1]);
const calls = kibibytes(/As tool calls:\s+([\d.]+) KiB/.exec(text)?.[1]);
report({ name: "the demo's requests", unit: "KiB", values: [sent] });
report({ name: "the same job by sequential tool calls", unit: "KiB", values: [calls] });
report({ name: "  share of it", unit: "", values: [sent / calls], bar: 1 / 25 });

function kibibytes(text: string | undefined): number {
  if (text === undefined) {
    throw new Error("the demo no longer prints its figures as this bench reads them");
  }
  return Number(text);
}
