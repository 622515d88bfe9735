/**
 * Who may import whom, as data. `check_layers.ts` holds the tree to it; what each folder is for stands in docs/architecture.md.
 * A folder that has no row here is refused, so that nothing grows outside the layers.
 */

/** What the files of one area may import beside each other. */
export interface AreaRule {
  /** The area: a folder, or one file at the root. The longest match decides for a file. */
  readonly area: string;
  /** Areas it may import in any way; `"*"` is every area. */
  readonly imports: readonly string[];
  /** Areas that it may import as types or by `import("…")` only, so that they load when they are needed. */
  readonly lazily?: readonly string[];
  /** Whether it may use `import("…")` at all. @default false */
  readonly dynamic?: boolean;
  /** Packages it may import, by the beginning of their names; `"*"` is any. Runtime modules (`node:…`) count. */
  readonly packages: readonly string[];
  /** Its public faces may be imported by `mod.ts` name. @default false */
  readonly faces?: boolean;
  /** Each folder directly in it is an area of its own, closed to its neighbours. @default false */
  readonly separate?: boolean;
}

/** The table. Layers from the bottom up; the last rows are no part of what is published. */
export const AREA_RULES: readonly AreaRule[] = [
  { area: "contracts", imports: [], packages: [] },
  { area: "redact", imports: [], lazily: ["contracts"], packages: [] },
  { area: "tools", imports: ["contracts"], dynamic: true, packages: ["npm:re2js"] },
  { area: "tools/sqlite", imports: ["contracts", "tools", "stores"], packages: ["node:"] },
  {
    area: "llm",
    imports: ["contracts", "redact"],
    dynamic: true,
    packages: ["npm:openai", "node:"],
  },
  {
    area: "sandbox",
    imports: ["contracts", "redact", "sandbox/channel.ts", "sandbox/guest", "sandbox/packs"],
    dynamic: true,
    packages: ["node:", "npm:@jitl/quickjs"],
  },
  {
    area: "sandbox/packs",
    imports: ["contracts", "redact", "tools", "sandbox", "sandbox/channel.ts", "sandbox/guest"],
    dynamic: true,
    packages: ["*"],
  },
  {
    area: "sandbox/channel.ts",
    imports: ["contracts"],
    lazily: ["sandbox/guest"],
    packages: [],
  },
  {
    area: "sandbox/guest",
    imports: ["contracts", "sandbox/channel.ts"],
    packages: ["npm:quickjs-emscripten", "npm:@jitl/quickjs", "node:"],
  },
  { area: "stores", imports: ["contracts", "redact"], packages: ["node:"] },
  { area: "loop", imports: ["contracts", "redact"], packages: [] },
  // What `ext/` parts share of the file system: two ways to keep a checkout's links from leading out would soon be a good one and a bad one.
  { area: "ext/confined", imports: [], packages: ["node:"] },
  {
    area: "ext",
    imports: ["contracts", "redact", "ext/confined"],
    dynamic: true,
    packages: ["*"],
    separate: true,
  },
  { area: "eval", imports: ["contracts", "redact"], packages: ["*"] },
  {
    area: "mod.ts",
    imports: ["contracts", "redact", "loop", "llm", "sandbox", "sandbox/packs", "stores"],
    lazily: ["sandbox/guest"],
    packages: [],
    faces: true,
  },
  {
    area: "testing.ts",
    imports: ["contracts", "llm", "sandbox", "sandbox/packs", "stores"],
    packages: [],
    faces: true,
  },
  {
    area: "cli",
    imports: [
      "contracts",
      "redact",
      "llm",
      "sandbox",
      "sandbox/packs",
      "stores",
      "loop",
      "tools",
      "ext",
      "mod.ts",
    ],
    dynamic: true,
    packages: ["*"],
    faces: true,
  },
  { area: "cli.ts", imports: ["cli"], dynamic: true, packages: [] },
  { area: "tests", imports: ["*"], dynamic: true, packages: ["*"], faces: true },
  { area: "bench", imports: ["*"], dynamic: true, packages: ["*"], faces: true },
  { area: "examples", imports: ["mod.ts", "llm", "stores"], packages: ["node:"], faces: true },
  { area: "_tools", imports: [], dynamic: true, packages: ["node:"] },
];

/** Areas that nobody outside of them may import, except those that may import everything. */
export const PRIVATE_AREAS: readonly string[] = ["tests", "bench", "examples", "_tools", "cli.ts"];

/** What a public face must not load by itself: entry → beginnings of names that its static imports never reach. */
export const LIGHT_FACES: Readonly<Record<string, readonly string[]>> = {
  "mod.ts": ["npm:", "node:sqlite", "stores/sqlite/", "sandbox/guest/engine.ts", "cli/"],
  "tools/mod.ts": ["npm:", "loop/", "sandbox/", "stores/", "cli/"],
};
