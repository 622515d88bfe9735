/** Trees of files for the tests of the checks: written to a temporary folder, gone after the test. */
import { dirname, join } from "node:path";

/** A tree on disk. Disposing removes it. */
export interface MadeUpTree extends AsyncDisposable {
  /** The folder, free of symbolic links. */
  readonly root: string;
}

/** Writes files (path → text) to a new temporary folder, with a bare deno.json unless one is among them. */
export async function makeUpTree(files: Readonly<Record<string, string>>): Promise<MadeUpTree> {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "made_up_tree_" }));
  for (const [path, text] of Object.entries({ "deno.json": "{}", ...files })) {
    await Deno.mkdir(dirname(join(root, path)), { recursive: true });
    await Deno.writeTextFile(join(root, path), text);
  }
  return { root, [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }) };
}
