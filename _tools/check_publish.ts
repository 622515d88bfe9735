/**
 * Compares what `deno publish` would send with what the published package needs when it runs: no file missing
 * (a guest that is started by its URL, a text that is read), none too many (tests, fixtures, notes, keys).
 */
import { dirname, join, posix, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { readModuleGraph } from "./module_graph.ts";

/** Files that belong into the package although no module reaches them. */
export const PAPERS: readonly string[] = ["LICENSE", "README.md", "deno.json"];

/**
 * Warnings of the dry run that are known and right. The command's first file hides its imports from the runtime on purpose, so that
 * `--version` does not wait for the whole project to be read; both are relative, and so work in the published package as they stand. What `--tools` loads
 * is a file of the user's, which no package can know.
 */
export const KNOWN_WARNINGS: readonly string[] = [
  "unanalyzable-dynamic-import cli/main.ts",
  "unanalyzable-dynamic-import cli/own_tools.ts",
];

/** Everything that is wrong with the package at `root`, one line each; empty when nothing is. */
export async function checkPublish(root: string): Promise<string[]> {
  const listed = await listPublished(root);
  if (typeof listed === "string") return [listed];
  const needed = new Set([...await listNeeded(root), ...PAPERS]);
  const missing = [...needed].filter((file) => !listed.has(file)).sort();
  const surplus = [...listed].filter((file) => !needed.has(file)).sort();
  return [
    ...missing.map((file) => `${file}: is needed at run time, but would not be published`),
    ...surplus.map((file) => `${file}: would be published, but nothing that is published needs it`),
  ];
}

/** The files that a dry run names, relative to the root; or, as text, why there would be no package at all. */
async function listPublished(root: string): Promise<ReadonlySet<string> | string> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    // Types have a step of their own in the gate.
    args: ["publish", "--dry-run", "--allow-dirty", "--no-check"],
    cwd: root,
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  const said = new TextDecoder().decode(stderr) + new TextDecoder().decode(stdout);
  if (!success || warnings(said, root).some((warning) => !KNOWN_WARNINGS.includes(warning))) {
    return `deno publish --dry-run: ${said.trim()}`;
  }
  const urls = [...said.matchAll(/^\s*(file:\/\/\S+) \(\S+\)$/gm)].map((found) => found[1] ?? "");
  if (urls.length === 0) return `deno publish --dry-run named no files: ${said.trim()}`;
  return new Set(urls.map((url) => relative(root, fileURLToPath(url)).split(sep).join("/")));
}

/** The warnings of a dry run, each as its code and the file that it is about. */
function warnings(said: string, root: string): string[] {
  return [...said.matchAll(/^warning\[([\w-]+)\].*\n\s*--> (.+?):\d+:\d+$/gm)]
    .map(([, code = "", path = ""]) => `${code} ${relative(root, path).split(sep).join("/")}`);
}

/** The files that the entries of `exports` reach by imports of any kind, and the ones they name by URL. */
async function listNeeded(root: string): Promise<ReadonlySet<string>> {
  const needed = new Set<string>();
  let open = await readExports(root);
  while (open.length > 0) {
    const graph = await readModuleGraph(root, open);
    const fresh = graph.files.filter((file) => !needed.has(file));
    for (const file of [...open, ...fresh]) needed.add(file);
    const named = fresh.flatMap((file) => namedByUrl(root, file));
    open = named.filter((file) => isCode(file) && !needed.has(file));
    for (const file of named) needed.add(file);
  }
  return needed;
}

/** The files behind the package's entries, relative to the root. */
export async function readExports(root: string): Promise<string[]> {
  const config: { exports?: string | Record<string, string> } = JSON.parse(
    await Deno.readTextFile(join(root, "deno.json")),
  );
  const exports = config.exports ?? {};
  const entries = typeof exports === "string" ? [exports] : Object.values(exports);
  return entries.map((entry) => posix.normalize(entry));
}

function namedByUrl(root: string, file: string): string[] {
  const text = Deno.readTextFileSync(join(root, file));
  const byUrl =
    /(?:import\.meta\.resolve\(\s*|new URL\(\s*)["'`](\.\.?\/[^"'`]+)["'`](?:\s*,\s*import\.meta\.url\s*)?/g;
  // A folder is nothing that is published.
  return [...text.matchAll(byUrl)].map((found) => posix.join(dirname(file), found[1] ?? ""))
    .filter((path) => !path.endsWith("/"));
}

function isCode(file: string): boolean {
  return /\.(?:ts|tsx|mts|js|jsx|mjs)$/.test(file);
}

if (import.meta.main) {
  const problems = await checkPublish(Deno.cwd());
  for (const problem of problems) console.error(problem);
  console.error(
    problems.length === 0 ? "publish: in order" : `publish: ${problems.length} to mend`,
  );
  Deno.exit(problems.length === 0 ? 0 : 1);
}
