/** The `exec` capability: what scripts call, what the policy judges, what a person is shown. How a command runs is in `run_command.ts`. */
import type { JsonValue } from "../../contracts/json.ts";
import type { CallContext, Capability, HostFunction } from "../../contracts/sandbox.ts";
import { commandEnvironment } from "./environment.ts";
import { type ExecOptions, type ExecSettings, execSettings } from "./exec_options.ts";
import { commandTarget, type ExecRequest, readExecRequest } from "./exec_request.ts";
import { resolveCommand, resolvePlace } from "./place.ts";
import { previewCommand } from "./preview.ts";
import { type CommandResult, OVERTIME_MS, runCommand } from "./run_command.ts";

/**
 * A capability named `exec`: `exec(argv, { cwd, stdin, timeoutMs, env })` for scripts, which gives
 * `{ stdout, stderr, code, signal, timedOut, truncated }`. An exit code other than 0 is a result, not an error.
 *
 * Nothing is looked at before a command runs. Everything that a command leaves running in its process group is killed when it has ended.
 *
 * @throws {TypeError} when the root is no text, a variable is not one, or there is no such option.
 * @throws {RangeError} when a number is out of range.
 */
export function execCapability(options: ExecOptions): Capability {
  const settings = execSettings(options);
  return {
    name: "exec",
    description: "runs commands in a folder",
    build: () => [{
      name: "exec",
      prompt: execPrompt(settings.allowShell),
      functions: [execFunction(settings)],
    }],
  };
}

function execPrompt(allowShell: boolean): string {
  const argv = allowShell
    ? "string[] | string /* text: sh -c */"
    : 'string[] /* no shell: ["ls", "-l"] */';
  return `declare function exec(argv: ${argv}, options?: { cwd?: string; stdin?: string; timeoutMs?: number; env?: Record<string, string> }): { stdout: string; stderr: string; code: number; signal: string | null; timedOut: boolean; truncated: boolean }; // a failing code does not throw`;
}

function execFunction(settings: ExecSettings): HostFunction {
  return {
    name: "exec",
    sideEffect: true,
    timeoutMs: settings.timeoutMs + OVERTIME_MS,
    target: commandTarget,
    preview: (args) => previewCommand(readExecRequest(args, settings)),
    execute: (args, context) => execute(args, { settings, context }),
  };
}

async function execute(
  args: readonly JsonValue[],
  { settings, context }: { readonly settings: ExecSettings; readonly context: CallContext },
): Promise<CommandResult> {
  const request = await fillRequest(readExecRequest(args, settings), context);
  const [name, ...rest] = request.argv;
  const place = await resolvePlace(settings.root, request.cwd);
  const { allowAbsolute, maxOutputBytes } = settings;
  return await runCommand({
    name,
    command: await resolveCommand(name, { ...place, allowAbsolute }),
    args: rest,
    cwd: place.cwd,
    env: commandEnvironment(settings.env, request.env),
    ...(request.stdin !== undefined && { stdin: request.stdin }),
    timeoutMs: request.timeoutMs,
    maxOutputBytes,
  }, context.signal);
}

/** Fills secrets into the arguments, the variables and the input; a command's name holds none, since it was judged. */
async function fillRequest(
  request: ExecRequest,
  { fill }: Pick<CallContext, "fill">,
): Promise<ExecRequest> {
  const { argv: [name, ...rest], env, stdin } = request;
  const filled = (text: string) => fill(text, { command: name });
  // All are waited for at once: a refusal that nobody waits for yet would end the program.
  const [argv, variables] = await Promise.all([
    Promise.all(rest.map(filled)),
    Promise.all([...env].map(async ([key, value]) => [key, await filled(value)] as const)),
  ]);
  return {
    ...request,
    argv: [name, ...argv],
    env: new Map(variables),
    ...(stdin !== undefined && { stdin: await filled(stdin) }),
  };
}
