/**
 * Where the command delivers what is due: the session, stdout, and a web hook where one is named.
 */
import type { Channel } from "../ext/scheduler/mod.ts";
import type { StepStore } from "../contracts/step.ts";
import type { CommandContext } from "./command.ts";
import { readVariable } from "./environment.ts";
import { CliError, usageError } from "./failure.ts";
import { oneLine } from "./terminal_text.ts";

/** The variable that holds the key of a web hook's signature. */
const SECRET = "AGENTLOOP_WEBHOOK_SECRET";

/**
 * The channels of an invocation.
 *
 * @throws {CliError} `usage` when --webhook names no address, `config` when there is no key for it.
 */
export async function commandChannels(
  { options, output, interrupt }: Pick<CommandContext, "options" | "output" | "interrupt">,
  steps: StepStore,
): Promise<readonly Channel[]> {
  const { sessionChannel, stdoutChannel } = await import("../ext/scheduler/mod.ts");
  return [
    sessionChannel({ steps }),
    stdoutChannel({
      format: output.json ? "ndjson" : "text",
      write: (line) => output.json ? output.line(JSON.parse(line)) : output.text(`${line}\n`),
    }),
    ...await webhookChannels({ options, interrupt }),
  ];
}

/**
 * The web hook, where one is named; to be called before anything is made that would be in vain.
 *
 * @throws {CliError} `usage` when --webhook names no address, `config` when there is no key for it.
 */
export async function webhookChannels(
  { options, interrupt }: Pick<CommandContext, "options" | "interrupt">,
): Promise<readonly Channel[]> {
  const { webhook, allowPrivateNet = [] } = options;
  if (webhook === undefined) return [];
  const url = checkedAddress(webhook);
  const secret = readVariable(SECRET);
  if (secret === undefined || secret.length < 16) {
    throw new CliError("config", "A web hook needs a key for its signature.", {
      hint:
        `Set ${SECRET} to a text of 16 characters at least, and let it be read: --allow-env=${SECRET}.`,
    });
  }
  const [{ guardedFetch }, { commandPolicy }, { webhookChannel }] = await Promise.all([
    import("./guarded_fetch.ts"),
    import("./command_policy.ts"),
    import("../ext/scheduler/mod.ts"),
  ]);
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  const host = `${url.hostname}:${port}`;
  const policy = commandPolicy({ allowNet: [host], allowPrivateNet });
  const fetch = await guardedFetch({ policy, signal: interrupt.signal });
  // The address is checked when it is dialled.
  return [webhookChannel({ url: url.href, secret, fetch, checkUrl() {} })];
}

function checkedAddress(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === "") return url;
  throw usageError(
    `--webhook takes an address that begins with https:// or http://, not ${oneLine(text, 60)}`,
  );
}
