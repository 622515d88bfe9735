/**
 * Bytes of prompt: the protocol part of the system prompt, the demo's data job against the same job by sequential tool calls, and ten tools as functions of
 * scripts against the same as a provider's declarations.
 *
 *     deno run -A bench/prompt_bench.ts
 */
import { textEmissionSystemPrompt } from "../loop/prompt.ts";
import { toolPack } from "../tools/tool_pack.ts";
import { declareTools } from "../tools/wire/declare_tools.ts";
import { report } from "./figures.ts";
import { SAMPLE_TOOLS } from "./sample_tools.ts";

const encoder = new TextEncoder();
const protocolBytes = encoder.encode(textEmissionSystemPrompt()).length;
report({
  name: "protocol part of the system prompt",
  unit: "B",
  values: [protocolBytes],
  bar: 2048,
});

const bytes = (text: string) => encoder.encode(text).length;
const declared = bytes(JSON.stringify(declareTools(SAMPLE_TOOLS, "openai").tools));
const written = bytes(toolPack(SAMPLE_TOOLS).prompt);
report({ name: "ten tools as OpenAI's declarations", unit: "B", values: [declared] });
report({ name: "ten tools as functions of scripts", unit: "B", values: [written] });
report({ name: "  share of it", unit: "", values: [written / declared] });

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
