// Usage: deno run --allow-net --allow-run --allow-read --allow-write bench/real_model/run.ts --base-url http://127.0.0.1:8080/v1
//   [--model NAME] [--tasks ten|tuning] [--only NAME]... [--repeats 2] [--out FOLDER] [--protocol code|code-tool|auto|tools]
/**
 * Lets a model behind an OpenAI-wire endpoint try small tasks with checkable answers, and prints what came of it. Each task is tried with the
 * seeds 1, 2, … at a fixed temperature. No part of the project needs the model: it is whatever the endpoint serves.
 */
import { parseArgs } from "node:util";
import type { LoopProtocol } from "../../contracts/loop.ts";
import { type Attempt, attemptTask } from "./attempt.ts";
import { writeTable, writeTranscript } from "./report.ts";
import type { Task } from "./task.ts";
import { TASKS } from "./tasks.ts";
import { TUNING_TASKS } from "./tuning_tasks.ts";

const PROTOCOLS: readonly LoopProtocol[] = ["code", "code-tool", "auto", "tools"];

/** What the command line asks for. */
interface Options {
  readonly baseUrl: string;
  readonly model?: string;
  readonly protocol: LoopProtocol;
  readonly tasks: readonly Task[];
  readonly repeats: number;
  readonly out?: string;
}

async function main(args: string[]): Promise<void> {
  const options = readOptions(args);
  const attempts: Attempt[] = [];
  for (const task of options.tasks) {
    for (let seed = 1; seed <= options.repeats; seed++) {
      const attempt = await attemptTask(task, { under: options, seed });
      attempts.push(attempt);
      console.error(
        `${task.name} seed ${seed}: ${attempt.problem ?? "solved"} (turns ${attempt.calls.length})`,
      );
      if (options.out !== undefined) {
        await write(options.out, `${task.name}-${seed}.md`, writeTranscript(attempt));
      }
    }
  }
  const table = writeTable(attempts);
  console.log(table);
  if (options.out !== undefined) await write(options.out, "table.md", `${table}\n`);
}

function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      "base-url": { type: "string" },
      model: { type: "string" },
      tasks: { type: "string", default: "ten" },
      only: { type: "string", multiple: true, default: [] },
      repeats: { type: "string", default: "2" },
      out: { type: "string" },
      protocol: { type: "string", default: "code" },
    },
  });
  const { "base-url": baseUrl, model, out, only } = values;
  if (baseUrl === undefined) throw new TypeError("--base-url is missing: where is the model?");
  if (values.tasks !== "ten" && values.tasks !== "tuning") {
    throw new TypeError(`--tasks must be ten or tuning, not ${values.tasks}`);
  }
  const protocol = PROTOCOLS.find((name) => name === values.protocol);
  if (protocol === undefined) {
    throw new TypeError(
      `--protocol must be one of ${PROTOCOLS.join(", ")}, not ${values.protocol}`,
    );
  }
  const repeats = Number(values.repeats);
  if (!Number.isInteger(repeats) || repeats < 1) {
    throw new RangeError(`--repeats must be a whole number of at least 1, not ${values.repeats}`);
  }
  const all = values.tasks === "ten" ? TASKS : TUNING_TASKS;
  const tasks = only.length === 0 ? all : all.filter((task) => only.includes(task.name));
  if (tasks.length === 0) throw new TypeError(`--only names no task: ${only.join(", ")}`);
  return {
    baseUrl,
    protocol,
    tasks,
    repeats,
    ...(model === undefined ? {} : { model }),
    ...(out === undefined ? {} : { out }),
  };
}

async function write(folder: string, name: string, text: string): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(`${folder}/${name}`, text);
}

if (import.meta.main) {
  try {
    await main(Deno.args);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    Deno.exitCode = 1;
  }
}
