/**
 * Everything that a run of the command is made of beside model and store, put together as the options say. Loads loop, sandbox and capabilities, so it is
 * imported only by what makes runs, and while something slower is under way.
 */
import type { Loop, LoopConfig, LoopProtocol } from "../contracts/loop.ts";
import type { PriceTable } from "../contracts/limits.ts";
import type { Client } from "../contracts/model.ts";
import type { Assistant } from "../ext/assistant/mod.ts";
import type { TextRedactor } from "../contracts/redaction.ts";
import type { Capability } from "../contracts/sandbox.ts";
import type { OpenAIConfig } from "../llm/openai.ts";
import { createLoop } from "../loop/create_loop.ts";
import { profileFor } from "../loop/profile.ts";
import { DefaultSandboxBuilder } from "../sandbox/default_builder.ts";
import { createProcessHost } from "../sandbox/process_host.ts";
import { commandCapabilities } from "./capabilities.ts";
import type { CallableParts } from "./callable_parts.ts";
import { type CommandPolicy, commandPolicy } from "./command_policy.ts";
import { compactorFor } from "./compactor.ts";
import { usageError } from "./failure.ts";
import type { CliOptions } from "./option_table.ts";
import { requirePermissions } from "./permission.ts";
import { limitsOf, namedPrices, pricesOf, protocolOf } from "./run_settings.ts";
import { readSecretValues, type SecretValues } from "./secret_values.ts";
import { commandRedactor } from "./secrets.ts";
import type { Store } from "./store_access.ts";
import { oneLine } from "./terminal_text.ts";
import { readTimeZone } from "./time_zone.ts";
import type { MakeToolParts } from "./tool_parts.ts";
import { reasonOf } from "./text_input.ts";

/** What the options say by themselves, whatever model is asked. */
export interface OptionSettings {
  /** Decides over calls. */
  readonly policy: CommandPolicy;
  /** How the model acts. */
  readonly protocol: LoopProtocol;
  /** What scripts may use by its name. */
  readonly secrets: SecretValues;
}

/** What can be said before a store is opened; where an option is wrong, none is. */
export interface RunSettings extends OptionSettings {
  /** Takes the key, and the secrets of scripts, out of what is shown and stored. */
  readonly redactor: TextRedactor;
  /** The model that requests name, where one is named. */
  readonly model: string | undefined;
  /** What it costs, where the options say it. */
  readonly prices: PriceTable | undefined;
}

/**
 * Reads what a run needs out of the options. Nothing is asked of the model's settings: who has an option wrong is told so, also where no key is set.
 *
 * @throws {CliError} `usage` for an option that cannot be what it is.
 */
export function readSettings(
  options: CliOptions,
  { brings = false }: {
    /** There is something to call whatever the options say. @default false */
    readonly brings?: boolean;
  } = {},
): OptionSettings {
  checkProject(options);
  if (options.timezone !== undefined) readTimeZone("--timezone", options.timezone);
  namedPrices(options);
  const secrets = readSecretValues(options);
  return {
    policy: commandPolicy(options, secrets),
    protocol: protocolOf(options, { brings }),
    secrets,
  };
}

/**
 * Adds what depends on the model that is asked.
 *
 * @throws {CliError} `usage` for a price that is known of no model.
 */
export function settingsFor(
  settings: OptionSettings,
  { options, config, model, withheld = [] }: {
    readonly options: CliOptions;
    readonly config: OpenAIConfig;
    readonly model: string | undefined;
    /** Texts that are taken out too. @default none */
    readonly withheld?: readonly string[];
  },
): RunSettings {
  return {
    ...settings,
    redactor: commandRedactor(config, { ofScripts: settings.secrets, withheld }),
    model,
    prices: pricesOf(options, model),
  };
}

function checkProject({ cwd }: CliOptions): void {
  if (cwd === undefined) return;
  requirePermissions([{ name: "read", path: cwd }], {
    problem: `--cwd ${oneLine(cwd, 200)} cannot be used`,
  });
  try {
    if (Deno.statSync(cwd).isDirectory) return;
  } catch (error) {
    throw usageError(`--cwd ${oneLine(cwd, 200)} cannot be used: ${reasonOf(error)}`);
  }
  throw usageError(`--cwd ${oneLine(cwd, 200)} is no folder`);
}

/** A loop and what it runs scripts in. Disposing ends the processes. */
export interface OpenLoop extends AsyncDisposable {
  /** The loop. */
  readonly loop: Loop;
}

/** Makes the loop. `idleMs` is how long the process for scripts is kept after a run; client and store stay the caller's. */
export function openLoop(
  options: CliOptions,
  { settings, client, store, idleMs, capabilities, assistant, makeTools, brought }: {
    readonly settings: RunSettings;
    readonly client: Client;
    readonly store: Store;
    readonly idleMs: number;
    /** What the project brings, beside what the options leave. */
    readonly capabilities: readonly Capability[];
    /** Makes what `--tools` and `--memory` add; absent without them. */
    readonly makeTools?: MakeToolParts | undefined;
    /** The preset, where it is wanted. */
    readonly assistant?: Assistant | undefined;
    /** What the command itself lets runs call; goes through `makeTools`. */
    readonly brought?: CallableParts | undefined;
  },
): OpenLoop {
  const profile = profileFor(options.contextWindow ?? 0);
  const host = createProcessHost({ idleMs });
  const added = makeTools?.({ facts: store.facts, client, model: settings.model, brought });
  const sandboxBuilder = new DefaultSandboxBuilder({
    host,
    maxLogBytes: profile.maxLogBytes,
    capabilities: [
      ...commandCapabilities(options, { client, secrets: settings.secrets }),
      ...capabilities,
      ...added?.capabilities ?? [],
    ],
  });
  const { policy, redactor, model, prices } = settings;
  const config: LoopConfig = profile.apply({
    ...assistant?.config,
    llm: client,
    sessions: store,
    steps: store,
    calls: store,
    sandboxBuilder,
    protocol: settings.protocol,
    ...added?.config,
    policy,
    redactor,
    limits: limitsOf(options),
    ...(model === undefined ? {} : { model }),
    ...(prices === undefined ? {} : { prices }),
    ...(options.noCompact ? {} : { compactor: compactorFor({ client, model, profile }) }),
  });
  const { historyWindow } = options;
  const loop = createLoop(historyWindow === undefined ? config : { ...config, historyWindow });
  return { loop, [Symbol.asyncDispose]: () => host[Symbol.asyncDispose]() };
}
