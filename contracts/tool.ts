/** A tool: defined once, and called as a function of a script or by its name. What checks, declares and calls it is in `tools/`. */
import type { JsonValue } from "./json.ts";
import type { ToolDeclaration } from "./model.ts";
import type { CallAim } from "./policy.ts";
import type { CallContext, HostFunction } from "./sandbox.ts";

/** A JSON Schema (draft 2020-12) as plain data. */
export interface JsonSchema {
  /** Keywords and what they are set to. */
  readonly [keyword: string]: JsonValue;
}

/** The arguments of a call by name, as a model wrote them: an object, not yet checked. */
export type ToolArguments = Readonly<Record<string, JsonValue>>;

/** What a check of arguments comes to. */
export type CheckedArguments =
  | {
    readonly ok: true;
    /** What `execute` gets: the arguments themselves, or what a Standard Schema made of them. */
    readonly value: unknown;
  }
  | {
    readonly ok: false;
    /** One line for each fault, with path, expectation and value: `$.city: expected string, got 5 (number)`. Bounded in number and length. */
    readonly issues: readonly string[];
  };

/** A function that a model may call, with all that is needed to declare, check and judge a call. Made by `defineTool`. */
export interface Tool {
  /** Unique in a registry: letters, digits, `_` and `-`, first a letter or `_`, at most 64 characters, which suits every provider. */
  readonly name: string;
  /** What it is called where it comes from, for a tool of another program. */
  readonly origin?: { readonly source: string; readonly name: string };
  /** What it does and when to use it, for the model. */
  readonly description: string;
  /** The arguments: a schema whose `type` is `object`. */
  readonly parameters: JsonSchema;
  /** What it gives, where that is declared. It is told to models and not checked. */
  readonly returns?: JsonSchema;
  /** Whether it has consequences outside. @default false */
  readonly sideEffect?: boolean;
  /**
   * Whether a call only looks: it may run while others do, and be made again without harm. One that ends at once is written down together with its result, where every other call is
   * written down before it is made.
   *
   * @default false
   */
  readonly safe?: boolean;
  /** Wall time that one call may take, in ms, capped by what is left of the run. @default 120_000 */
  readonly timeoutMs?: number;
  /**
   * What a call is aimed at, for the policy. It sees the arguments as they were written, before they are checked; a throw counts as an aim that cannot
   * be told.
   */
  readonly target?: (args: ToolArguments) => string | CallAim | undefined;
  /** Shows a person what the call would do, in lines of text. Gets what `check` gave, and must change nothing. */
  readonly preview?: (value: unknown) => string | undefined | Promise<string | undefined>;
  /** Checks arguments against the schema. Changes nothing, and rejects only when the schema's own code does. */
  readonly check: (args: unknown) => Promise<CheckedArguments>;
  /**
   * Does the work with what `check` gave; nothing else may be passed. What it returns must be a JSON value, or `undefined`. What it throws reaches the
   * model, message only.
   */
  readonly execute: (value: unknown, context: CallContext) => unknown;
}

/** A tool as a run calls it by its name. */
export interface CallableTool {
  /** What the model is told; calls name it by the name in here. */
  readonly declaration: ToolDeclaration;
  /** What the gate passes a call on to: takes one object, and checks it. Its name is the one that policies, grants and the log know the tool by. */
  readonly hostFunction: HostFunction;
  /** Whether a call may run while others do. */
  readonly safe: boolean;
  /**
   * The tool as a function of scripts, as a model is shown it: lines of TypeScript that declare the host function's name. Asked for when scripts have found the
   * tool. @default the name with arguments of any type
   */
  readonly typescript?: () => string;
}

/** Tools that runs may call by name. `ToolRegistry` is one. */
export interface ToolSet {
  /** The tools, asked for once when a run begins. Names must differ. */
  callable(): readonly CallableTool[];
}

/** What is looked for among tools that are not declared. */
export interface ToolSearch {
  /** Names of tools, as a model wrote them: each that is there is wanted, by its own name or that of its function in scripts. */
  readonly names?: readonly string[];
  /** What tools should do, in words of a model. */
  readonly query?: string;
  /** Tools that `query` finds at most. */
  readonly limit: number;
  /** Ends with the run. */
  readonly signal?: AbortSignal;
}

/**
 * Finds tools that a run does not declare from the beginning, so that many cost no more prompt than few. It decides what a run can find at all: calls of what was
 * found pass the gate like any other.
 */
export interface ToolExpander {
  /**
   * The tools that are named, then those that the query finds, the best first; none of them twice. What it throws is told to the model, message only.
   */
  expand(search: ToolSearch): readonly CallableTool[] | Promise<readonly CallableTool[]>;
}
