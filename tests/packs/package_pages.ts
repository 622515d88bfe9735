/** For the tests of HTML: pages that packages ship in their documentation, taken from the packages themselves and never kept. */
import { join } from "node:path";

/** The pages, by package and exact version. */
const PAGES: Readonly<Record<string, readonly string[]>> = {
  "cannon@0.6.2": [
    "docs/classes/Body.html",
    "docs/classes/Quaternion.html",
    "docs/classes/World.html",
    "docs/files/src_math_Vec3.js.html",
    "docs/index.html",
  ],
  "npm@10.9.0": [
    "docs/output/commands/npm-audit.html",
    "docs/output/commands/npm-install.html",
    "docs/output/configuring-npm/package-json.html",
    "docs/output/using-npm/config.html",
    "docs/output/using-npm/dependency-selectors.html",
    "docs/output/using-npm/scripts.html",
  ],
  "paper@0.12.20": [
    "dist/docs/classes/Color.html",
    "dist/docs/classes/Path.html",
    "dist/docs/classes/Point.html",
    "dist/docs/classes/Style.html",
    "dist/docs/classes/View.html",
  ],
  "snapsvg@0.5.1": ["doc/reference.html"],
  "vis@4.21.0": [
    "docs/data/dataset.html",
    "docs/data/dataview.html",
    "docs/graph3d/index.html",
    "docs/network/edges.html",
    "docs/network/physics.html",
    "docs/timeline/index.html",
  ],
};

/** One page. */
export interface PackagePage {
  /** Package and path. */
  readonly name: string;
  readonly html: string;
}

/** Installs the packages into a folder of its own, which is gone afterwards, and reads the pages. Nothing of the packages is run. */
export async function readPackagePages(): Promise<readonly PackagePage[]> {
  const folder = await Deno.makeTempDir({ prefix: "pages_" });
  try {
    const names = Object.keys(PAGES);
    const dependencies = Object.fromEntries(names.map((name) => name.split("@")));
    await Deno.writeTextFile(join(folder, "deno.json"), '{ "nodeModulesDir": "auto" }');
    await Deno.writeTextFile(join(folder, "package.json"), JSON.stringify({ dependencies }));
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["install", "--no-lock", "--quiet"],
      cwd: folder,
      stdin: "null",
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    return names.flatMap((name) =>
      PAGES[name]!.map((path) => ({
        name: `${name} ${path}`,
        html: Deno.readTextFileSync(join(folder, "node_modules", name.split("@")[0]!, path)),
      }))
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
