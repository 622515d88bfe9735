/**
 * Holds every import of the tree to the table in layers.ts, and refuses import cycles (type imports counted).
 *
 * Tests are free to import what they test and what they test it with, so the table does not bind them. The rule on cycles does,
 * and nothing that is no test may import one. A private file that only tests import is part of them.
 */
import { basename, dirname } from "node:path";
import { findCycles, reachable } from "./import_cycles.ts";
import { AREA_RULES, type AreaRule, LIGHT_FACES, PRIVATE_AREAS } from "./layers.ts";
import { type ImportEdge, isInside, type ModuleGraph, readModuleGraph } from "./module_graph.ts";
import { isTestFile, listSourceFiles } from "./source_files.ts";

/** Everything that is wrong with the imports of the tree at `root`, one line each; empty when nothing is. */
export async function checkLayers(root: string): Promise<string[]> {
  const graph = await readModuleGraph(root, listSourceFiles(root));
  const tests = testFiles(graph);
  return [
    ...graph.problems,
    ...graph.files.filter((file) => ruleOf(file, tests) === undefined).map(describeUnknownArea),
    ...graph.edges.flatMap((edge) => edgeProblems(edge, tests)),
    ...cycleProblems(graph),
    ...lightFaceProblems(graph),
  ];
}

/** The tests, and the private files that serve them alone. */
function testFiles(graph: ModuleGraph): ReadonlySet<string> {
  const tests = new Set(graph.files.filter(isTestFile));
  const importers = Map.groupBy(graph.edges, (edge) => edge.to);
  let grown: string[];
  do {
    grown = graph.files.filter((file) => {
      const own = importers.get(file) ?? [];
      return !tests.has(file) && isPrivate(file) && own.length > 0 &&
        own.every((edge) => tests.has(edge.from));
    });
    for (const file of grown) tests.add(file);
  } while (grown.length > 0);
  return tests;
}

/** The row of the table that a file falls under, or `undefined` when there is none. */
function ruleOf(file: string, tests: ReadonlySet<string>): AreaRule | undefined {
  const area = tests.has(file) ? "tests" : file;
  return AREA_RULES
    .filter((rule) => area === rule.area || area.startsWith(`${rule.area}/`))
    .sort((a, b) => b.area.length - a.area.length)[0];
}

function describeUnknownArea(file: string): string {
  return `${file}: lies in no area of the table; give its folder a row in _tools/layers.ts, or move it`;
}

function edgeProblems(edge: ImportEdge, tests: ReadonlySet<string>): string[] {
  const rule = ruleOf(edge.from, tests);
  if (rule === undefined) return [];
  const problems: string[] = [];
  const refuse = (why: string) => problems.push(`${edge.from}:${edge.line}: ${why}`);
  if (edge.dynamic && rule.dynamic !== true) {
    refuse(`import("…") of ${edge.to}: ${rule.area} loads everything at its start`);
  }
  if (!isInside(edge.to)) {
    if (!rule.packages.some((name) => name === "*" || edge.to.startsWith(name))) {
      refuse(`imports ${edge.to}, which is no package that ${rule.area} may import`);
    }
    return problems;
  }
  if (!tests.has(edge.from) && isPrivateToOther(edge)) {
    refuse(`imports ${edge.to}, which is private to its folder`);
  }
  if (isFace(edge.to) && rule.faces !== true) {
    refuse(`imports ${edge.to}: nothing inside imports a public face, import the file itself`);
  }
  const target = ruleOf(edge.to, tests);
  if (target !== undefined && !mayImport(rule, target, edge)) {
    refuse(`imports ${edge.to}: ${rule.area} may import ${describeAllowed(rule)}`);
  }
  return problems;
}

function mayImport(rule: AreaRule, target: AreaRule, edge: ImportEdge): boolean {
  if (rule.imports.includes("*")) return true;
  if (target === rule) return rule.separate !== true || sameSubfolder(rule, edge);
  if (PRIVATE_AREAS.includes(target.area)) return false;
  if (rule.imports.includes(target.area)) return true;
  return rule.lazily?.includes(target.area) === true && (edge.dynamic || edge.typeOnly);
}

function sameSubfolder(rule: AreaRule, edge: ImportEdge): boolean {
  const subfolder = (file: string) => file.slice(rule.area.length + 1).split("/")[0];
  return subfolder(edge.from) === subfolder(edge.to);
}

function describeAllowed(rule: AreaRule): string {
  const how = rule.dynamic === true ? 'types, or import("…")' : "types";
  const lazily = (rule.lazily ?? []).map((area) => `${area} (${how})`);
  const allowed = [...rule.imports, ...lazily];
  return allowed.length === 0 ? "nothing outside of itself" : allowed.join(", ");
}

function isFace(file: string): boolean {
  return file === "mod.ts" || file === "testing.ts" || file.endsWith("/mod.ts");
}

function isPrivate(file: string): boolean {
  return basename(file).startsWith("_");
}

function isPrivateToOther(edge: ImportEdge): boolean {
  if (!isPrivate(edge.to)) return false;
  const owner = dirname(edge.to);
  return owner !== "." && !edge.from.startsWith(`${owner}/`);
}

function cycleProblems(graph: ModuleGraph): string[] {
  return findCycles(graph.edges.filter((edge) => isInside(edge.to)))
    .map((cycle) => `import cycle: ${cycle.join(" → ")}`);
}

function lightFaceProblems(graph: ModuleGraph): string[] {
  const targets = new Map<string, string[]>();
  for (const edge of graph.edges) {
    if (edge.typeOnly || edge.dynamic) continue;
    targets.set(edge.from, [...(targets.get(edge.from) ?? []), edge.to]);
  }
  return Object.entries(LIGHT_FACES).flatMap(([face, heavy]) =>
    [...reachable(face, targets)]
      .filter((name) => heavy.some((beginning) => name.startsWith(beginning)))
      .map((name) => `${face}: loads ${name}, which must only load when it is needed`)
  );
}

if (import.meta.main) {
  const problems = await checkLayers(Deno.cwd());
  for (const problem of problems) console.error(problem);
  console.error(
    problems.length === 0 ? "layers: in order" : `layers: ${problems.length} to mend`,
  );
  Deno.exit(problems.length === 0 ? 0 : 1);
}
