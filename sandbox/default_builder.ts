/**
 * The builder that most programs use: composes a fixed list of capabilities into a sandbox for each run, on a host of guests.
 */
import { refuseUnknown } from "../contracts/known_names.ts";
import {
  type BuildContext,
  type Capability,
  DEFAULT_SANDBOX_LIMITS,
  type HostFunction,
  type Pack,
  type Sandbox,
  type SandboxBuilder,
  type SandboxBuildRequest,
  type SandboxLimits,
} from "../contracts/sandbox.ts";
import { SCRIPT_WORDS } from "../contracts/script_words.ts";
import type { SecretSource } from "../contracts/secret.ts";
import type { SandboxHost } from "./host.ts";
import { checkPack, checkPackList } from "./pack_checks.ts";
import { corePack } from "./packs/core/core_pack.ts";
import { createProcessHost } from "./process_host.ts";

/** Options of a {@linkcode DefaultSandboxBuilder}. */
export interface DefaultSandboxBuilderOptions {
  /** What can be installed. @default [] */
  readonly capabilities?: readonly Capability[];
  /**
   * Names of the capabilities that may load; those that are always on load regardless. A name that none of them has is told in a warning by each run: a program may
   * name what is only there in some of its projects.
   *
   * @default all
   */
  readonly enabledCapabilities?: readonly string[];
  /** Log output of one turn in bytes; below zero removes the cap. Beats `limits.logBytes`. @default 16_384 */
  readonly maxLogBytes?: number;
  /** Limits of each script; those left out keep their default. */
  readonly limits?: Partial<SandboxLimits>;
  /** Gives each session a process of its own, instead of each scope. @default false */
  readonly isolateSessions?: boolean;
  /** Where guests run. A host that is handed in stays the caller's to dispose. @default createProcessHost() */
  readonly host?: SandboxHost;
}

const OPTIONS: Readonly<Record<keyof DefaultSandboxBuilderOptions, true>> = {
  capabilities: true,
  enabledCapabilities: true,
  maxLogBytes: true,
  limits: true,
  isolateSessions: true,
  host: true,
};

/** Composes capabilities into a fresh sandbox for every run. Disposing it ends the guests of the host it made for itself. */
export class DefaultSandboxBuilder implements SandboxBuilder, AsyncDisposable {
  readonly #capabilities: readonly Capability[];
  readonly #enabled: readonly string[] | undefined;
  readonly #isolateSessions: boolean;
  readonly #limits: SandboxLimits;
  readonly #host: SandboxHost;
  readonly #ownsHost: boolean;

  /**
   * Creates a builder.
   *
   * @throws {TypeError} when something is no capability, no list of names or no host, or there is no such option or limit.
   * @throws {RangeError} when a limit is out of range.
   */
  constructor(options: DefaultSandboxBuilderOptions = {}) {
    refuseUnknown("DefaultSandboxBuilder", options, OPTIONS);
    if (options.host !== undefined && typeof options.host?.lease !== "function") {
      throw new TypeError(
        "DefaultSandboxBuilder: host must be a sandbox host, such as createProcessHost(options)",
      );
    }
    this.#capabilities = checkedCapabilities(options.capabilities ?? []);
    this.#enabled = checkedNames(options.enabledCapabilities);
    this.#isolateSessions = options.isolateSessions ?? false;
    this.#limits = checkedLimits({
      ...DEFAULT_SANDBOX_LIMITS,
      ...options.limits,
      ...(options.maxLogBytes !== undefined && { logBytes: options.maxLogBytes }),
    });
    this.#ownsHost = options.host === undefined;
    this.#host = options.host ?? createProcessHost();
  }

  /**
   * Makes the sandbox of one run. A capability whose `build` throws is left out with a warning.
   *
   * @throws {TypeError} when a pack is not what it should be, two claim one name, or two bring secrets.
   */
  async build(request: SandboxBuildRequest): Promise<Sandbox> {
    const built = await this.#buildPacks(request);
    const core = corePack(built);
    const packs = core === undefined ? built : [core, ...built];
    const functions = collectFunctions(packs);
    const secrets = secretsOf(packs);
    const guestPacks = packs.map((pack) => ({
      functions: pack.functions.map((fn) => fn.name),
      ...(pack.guestSource !== undefined && { source: pack.guestSource }),
    }));
    const lease = this.#host.lease({
      scopeKey: scopeKey(request, this.#isolateSessions),
      limits: this.#limits,
      packs: guestPacks,
    });
    return {
      prompt: packs.map((pack) => pack.prompt.trim()).filter((text) => text !== "").join("\n"),
      functions,
      limits: this.#limits,
      ...(secrets === undefined ? {} : { secrets }),
      warmUp: () => lease.warmUp(),
      extend: (added) => {
        const all = collectFunctions([...packs, { name: ADDED, prompt: "", functions: added }]);
        // The gate holds this very map.
        functions.clear();
        for (const [name, fn] of all) functions.set(name, fn);
        const names = added.map((fn) => fn.name);
        lease.usePacks(names.length === 0 ? guestPacks : [...guestPacks, { functions: names }]);
      },
      evaluate: (script) => lease.evaluate(script),
      [Symbol.asyncDispose]: () => lease[Symbol.asyncDispose](),
    };
  }

  /** Ends the guests, unless the host was handed in. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#ownsHost) await this.#host[Symbol.asyncDispose]();
  }

  async #buildPacks(request: SandboxBuildRequest): Promise<Pack[]> {
    this.#tellUnknown(request);
    const context = createContext(request, this.#enabled);
    const wanted = this.#capabilities.filter((capability) =>
      capability.alwaysOn === true || this.#enabled === undefined ||
      this.#enabled.includes(capability.name)
    );
    const packs: Pack[] = [];
    for (const capability of wanted) {
      try {
        packs.push(...checkPackList(await capability.build(context)));
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        request.emit({
          type: "warning",
          content:
            `The capability ${capability.name} could not be built and is left out: ${reason}`,
        });
      }
    }
    return packs;
  }

  /** A misspelt name would leave a capability out without a word. */
  #tellUnknown(request: SandboxBuildRequest): void {
    const known = this.#capabilities.map(({ name }) => name);
    const unknown = new Set(this.#enabled).difference(new Set(known));
    const shown = known.slice(0, MAX_SHOWN).map(shortened).join(", ") || "none";
    for (const name of [...unknown].slice(0, MAX_SHOWN)) {
      const content = `enabledCapabilities names ${
        shortened(name)
      }, and no capability is called so; there are ${shown}`;
      request.emit({ type: "warning", content });
    }
  }
}

/** Names that a warning shows, and unknown ones that are told. */
const MAX_SHOWN = 40;

function shortened(name: string): string {
  return name.length <= 100 ? name : `${name.slice(0, 100).toWellFormed()}…`;
}

function checkedNames(names: readonly string[] | undefined): readonly string[] | undefined {
  if (names === undefined) return undefined;
  if (Array.isArray(names) && names.every((name) => typeof name === "string")) return names;
  throw new TypeError(
    "DefaultSandboxBuilder: enabledCapabilities must be a list of names of capabilities",
  );
}

/** A capability whose `build` fails is left out of a run: one that has none would be, without a word to whoever wrote the program. */
function checkedCapabilities(capabilities: readonly Capability[]): readonly Capability[] {
  if (!Array.isArray(capabilities)) {
    throw new TypeError("DefaultSandboxBuilder: capabilities must be a list");
  }
  for (const [at, capability] of capabilities.entries()) {
    if (typeof capability?.build === "function" && typeof capability.name === "string") continue;
    const name = `DefaultSandboxBuilder: capabilities[${at}]`;
    if (typeof capability === "function") {
      throw new TypeError(`${name} is a function; call it to make a capability`);
    }
    const isTool = typeof Reflect.get(Object(capability), "execute") === "function";
    throw new TypeError(
      isTool
        ? `${name} is a tool; toolCapability([…]) makes a capability of tools`
        : `${name} must be a capability, with a name and a function build`,
    );
  }
  return capabilities;
}

/** Reads through to the request, so that a builder whose request follows the run gives its capabilities the run that is going on. */
function createContext(
  request: SandboxBuildRequest,
  enabledCapabilities: readonly string[] | undefined,
): BuildContext {
  return {
    ...(enabledCapabilities && { enabledCapabilities }),
    sessionId: request.session.id,
    get messageId() {
      return request.session.messageId;
    },
    get signal() {
      return request.signal;
    },
    get scope() {
      return request.scope;
    },
    get userId() {
      return request.userId;
    },
  };
}

/** The name of the pack of what is added to a sandbox; no identifier, so that it is nobody's own. */
const ADDED = "(added)";

function collectFunctions(packs: readonly Pack[]): Map<string, HostFunction> {
  const functions = new Map<string, HostFunction>();
  /** The pack of each function. */
  const owners = new Map<string, string>();
  const names = new Set<string>();
  const modules = new Set<string>();
  const documents = new Set<string>();
  for (const pack of packs) {
    checkPack(pack);
    if (names.has(pack.name)) throw new TypeError(`Two packs are named "${pack.name}".`);
    names.add(pack.name);
    for (const module of pack.modules ?? []) {
      if (modules.has(module)) throw new TypeError(`Two packs claim the module "${module}".`);
      modules.add(module);
    }
    for (const document of pack.documents ?? []) {
      if (documents.has(document.name)) {
        throw new TypeError(`Two packs bring documentation named "${document.name}".`);
      }
      documents.add(document.name);
    }
    for (const fn of pack.functions) {
      if (!/^[A-Za-z_$][\w$]*$/.test(fn.name)) {
        throw new TypeError(
          `The pack "${pack.name}" has a function named "${fn.name}", which is no identifier.`,
        );
      }
      if (SCRIPT_WORDS.has(fn.name)) {
        throw new TypeError(
          `The pack "${pack.name}" claims the name "${fn.name}", which scripts need; give it another.`,
        );
      }
      const owner = owners.get(fn.name);
      if (owner !== undefined) {
        throw new TypeError(
          `Two packs claim the function "${fn.name}": "${owner}" and "${pack.name}". Give one of them another name.`,
        );
      }
      owners.set(fn.name, pack.name);
      functions.set(fn.name, fn);
    }
  }
  return functions;
}

function secretsOf(packs: readonly Pack[]): SecretSource | undefined {
  const [first, second] = packs.filter((pack) => pack.secrets !== undefined);
  if (first !== undefined && second !== undefined) {
    throw new TypeError(
      `The packs "${first.name}" and "${second.name}" both bring secrets; one source must serve all.`,
    );
  }
  return first?.secrets;
}

/** No scope counts as one: a program with one tenant. */
function scopeKey(request: SandboxBuildRequest, isolateSessions: boolean): string {
  const { scope, session } = request;
  return JSON.stringify([
    scope?.workspaceId ?? null,
    scope?.projectId ?? null,
    isolateSessions ? session.id : null,
  ]);
}

/** Least value of each limit that still lets a script run. */
const LEAST: Readonly<Record<keyof SandboxLimits, number>> = {
  guestTimeMs: 1,
  memoryBytes: 16 * 1024 * 1024,
  stackBytes: 16 * 1024,
  sourceBytes: 1,
  logBytes: -Infinity,
  argsBytes: 1,
  hostCalls: 0,
  callArgumentBytes: 2,
  callResultBytes: 1,
};

function checkedLimits(limits: SandboxLimits): SandboxLimits {
  const unknown = Object.keys(limits).find((name) => !Object.hasOwn(LEAST, name));
  if (unknown !== undefined) {
    throw new TypeError(
      `There is no limit ${JSON.stringify(unknown)}; there are ${Object.keys(LEAST).join(", ")}.`,
    );
  }
  for (const [name, least] of Object.entries(LEAST) as [keyof SandboxLimits, number][]) {
    const value = limits[name];
    if (!Number.isFinite(value) || value < least) {
      const range = least === -Infinity ? "" : ` of at least ${least}`;
      const given = typeof value === "number" ? value : JSON.stringify(value);
      throw new RangeError(`limits.${name} must be a finite number${range}, not ${given}.`);
    }
  }
  if (limits.memoryBytes > 4 * 1024 ** 3) {
    throw new RangeError(`limits.memoryBytes must be at most 4 GiB, not ${limits.memoryBytes}.`);
  }
  if (limits.stackBytes > DEFAULT_SANDBOX_LIMITS.stackBytes) {
    throw new RangeError(
      `limits.stackBytes must be at most ${DEFAULT_SANDBOX_LIMITS.stackBytes}, not ${limits.stackBytes}: beyond it the engine crashes.`,
    );
  }
  return limits;
}
