import { deepEqual, notEqual } from "node:assert/strict";
import { dirname, join } from "node:path";

/** The project's folder; tests run in it. */
const ROOT = Deno.cwd();

function documents(): string[] {
  const found = ["README.md", "AGENTS.md"];
  const folders = ["docs"];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of Deno.readDirSync(join(ROOT, folder))) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory) folders.push(path);
      else if (entry.name.endsWith(".md")) found.push(path);
    }
  }
  return found.sort();
}

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** What a document names in code spans that can only be a file or folder of this project. */
function namedPaths(text: string): string[] {
  const prose = text.replace(/^(`{3,}|~{3,})[^]*?^\1/gm, "");
  return [...prose.matchAll(/`([^`\s]+)`/g)]
    .map((found) => found[1] ?? "")
    .filter((name) => /^[\w.][\w./-]*(?:\/|\.(?:ts|md|json|lock))$/.test(name))
    .filter((name) => name.includes("/") || /^[a-z_]+\.ts$|^[A-Z]+\.md$/.test(name));
}

/** The addresses of a document's headings, as code hosts make them: lower case, no punctuation, dashes for blanks. */
function headings(document: string): Set<string> {
  const text = Deno.readTextFileSync(join(ROOT, document));
  const prose = text.replace(/^(`{3,}|~{3,})[^]*?^\1/gm, "");
  return new Set(
    [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
      heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-")
    ),
  );
}

for (const document of documents()) {
  const text = Deno.readTextFileSync(join(ROOT, document));

  Deno.test(`documents: every file that ${document} names is there`, () => {
    deepEqual(namedPaths(text).filter((name) => !exists(join(ROOT, name))), []);
  });

  Deno.test(`documents: every link of ${document} to a file leads somewhere`, () => {
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g)];
    const targets = links.map((found) => found[1] ?? "");
    deepEqual(
      targets.filter((target) => !exists(join(ROOT, dirname(document), target))),
      [],
    );
  });
}

for (const document of ["README.md", "docs/capabilities.md", "docs/command.md"]) {
  Deno.test(`documents: every link of ${document} to a heading leads to one`, () => {
    const text = Deno.readTextFileSync(join(ROOT, document));
    const links = [...text.matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g)];
    const lost = links.filter(([, path = "", heading = ""]) =>
      !headings(path === "" ? document : join(dirname(document), path)).has(heading)
    );
    deepEqual(lost.map(([link]) => link), []);
  });
}

Deno.test("documents: the life of a run names files of every layer", () => {
  const named = namedPaths(Deno.readTextFileSync(join(ROOT, "docs/architecture.md"))).join("\n");
  for (const layer of ["cli/", "contracts/", "llm/", "loop/", "sandbox/", "stores/"]) {
    notEqual(named.indexOf(layer), -1, `docs/architecture.md names no file of ${layer}`);
  }
});
