/**
 * Reads who imports whom. The runtime's own parser does the reading (`deno info --json`), so that type imports,
 * re-exports, `import()` types, literal dynamic imports and the import map are seen as they are, and comments and strings are not.
 */
import { join, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** One import of one file. */
export interface ImportEdge {
  /** The importing file, relative to the root. */
  readonly from: string;
  /** A file relative to the root, or a package: `npm:openai`, `node:fs`, `https://…`. */
  readonly to: string;
  /** Line of the import, from 1. */
  readonly line: number;
  /** Erased before the program runs. */
  readonly typeOnly: boolean;
  /** Written as `import("…")`: loaded when that line runs, not when the file does. */
  readonly dynamic: boolean;
}

/** All imports of a tree. */
export interface ModuleGraph {
  /** Files of the project that were read, in alphabetical order. */
  readonly files: readonly string[];
  /** Their imports, in the order of the files. */
  readonly edges: readonly ImportEdge[];
  /** Files that could not be read or parsed and imports that lead nowhere, one line each. */
  readonly problems: readonly string[];
}

interface InfoResolution {
  readonly specifier?: string;
  readonly error?: string;
  readonly span?: { readonly start: { readonly line: number } };
}

interface InfoDependency {
  readonly specifier: string;
  readonly code?: InfoResolution;
  readonly type?: InfoResolution;
  readonly isDynamic?: boolean;
}

interface InfoModule {
  readonly specifier: string;
  readonly error?: string;
  readonly dependencies?: readonly InfoDependency[];
}

interface Info {
  readonly modules: readonly InfoModule[];
}

/**
 * Reads the imports of `files` and of everything that they reach inside `root`.
 *
 * @throws {Error} when the runtime cannot build a graph at all; its own words are in the message.
 */
export async function readModuleGraph(
  root: string,
  files: readonly string[],
): Promise<ModuleGraph> {
  const info = await readInfo(root, files);
  const edges: ImportEdge[] = [];
  const problems: string[] = [];
  const read: string[] = [];
  for (const module of info.modules) {
    const from = nameOf(root, module.specifier);
    if (module.error !== undefined) problems.push(`${from}: ${firstLine(module.error)}`);
    if (!isInside(from)) continue;
    if (module.error === undefined) read.push(from);
    for (const dependency of module.dependencies ?? []) {
      const resolved = dependency.code ?? dependency.type;
      const line = (resolved?.span?.start.line ?? 0) + 1;
      if (resolved?.specifier === undefined) {
        const why = firstLine(resolved?.error ?? "it resolves to nothing");
        problems.push(`${from}:${line}: cannot follow "${dependency.specifier}": ${why}`);
        continue;
      }
      edges.push({
        from,
        to: nameOf(root, resolved.specifier),
        line,
        typeOnly: dependency.code === undefined,
        dynamic: dependency.isDynamic === true,
      });
    }
  }
  return { files: read.sort(), edges: edges.sort(byPlace), problems: problems.sort() };
}

/** Whether the target of an import is a file of the project (and not a package or a URL). */
export function isInside(name: string): boolean {
  return !/^[a-z]+:/.test(name) && !name.startsWith("../");
}

async function readInfo(root: string, files: readonly string[]): Promise<Info> {
  // The command takes one root only, so a file that imports everything stands in for all of them.
  const folder = await Deno.makeTempDir({ prefix: "module_graph_" });
  try {
    const entry = join(folder, "all.ts");
    const lines = files.map((file) =>
      `import ${JSON.stringify(pathToFileURL(join(root, file)).href)};`
    );
    await Deno.writeTextFile(entry, lines.join("\n"));
    const output = await new Deno.Command(Deno.execPath(), {
      args: ["info", "--json", "--no-lock", "--config", join(root, "deno.json"), entry],
      env: { NO_COLOR: "1" },
      stdin: "null",
    }).output();
    if (!output.success) {
      throw new Error(
        `deno info could not read the imports: ${new TextDecoder().decode(output.stderr)}`,
      );
    }
    const info: Info = JSON.parse(new TextDecoder().decode(output.stdout));
    return {
      modules: info.modules.filter((module) => module.specifier !== pathToFileURL(entry).href),
    };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function nameOf(root: string, specifier: string): string {
  if (specifier.startsWith("file:")) {
    return relative(root, fileURLToPath(specifier)).split(sep).join("/");
  }
  const versioned = /^(npm|jsr):\/?((?:@[^/]+\/)?[^@/]+)/.exec(specifier);
  return versioned === null ? specifier : `${versioned[1]}:${versioned[2]}`;
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}

function byPlace(a: ImportEdge, b: ImportEdge): number {
  return a.from === b.from ? a.line - b.line : a.from < b.from ? -1 : 1;
}
