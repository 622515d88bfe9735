/**
 * Holds every import of the tree to the table in layers.ts, and refuses import cycles (type imports counted).
 *
 * Tests are free to import what they test and what they test it with, so the table does not bind them. The rule on cycles does,
 * and nothing that is no test may import one.
 */
import { dirname } from "node:path";
import { findCycles, reachable } from "./import_cycles.ts";
import { AREA_RULES, type AreaRule, LIGHT_FACES, PRIVATE_AREAS } from "./layers.ts";
import { type ImportEdge, isInside, type ModuleGraph, readModuleGraph } from "./module_graph.ts";
import { isTestFile, listSourceFiles } from "./source_files.ts";

/** Everything that is wrong with the imports of the tree at `root`, one line each; empty when nothing is. */
export async function checkLayers(root: string): Promise<string[]> {
  const graph = await readModuleGraph(root, listSourceFiles(root));
  return [
    ...graph.problems,
    ...graph.files.filter((file) => ruleOf(file) === undefined).map(describeUnknownArea),
    ...graph.edges.flatMap(edgeProblems),
    ...cycleProblems(graph),
    ...lightFaceProblems(graph),
  ];
}

/** The row of the table that a file falls under, or `undefined` when there is none. */
export function ruleOf(file: string): AreaRule | undefined {
  const area = isTestFile(file) ? "tests" : file;
  return AREA_RULES
    .filter((rule) => area === rule.area || area.startsWith(`${rule.area}/`))
    .sort((a, b) => b.area.length - a.area.length)[0];
}

function describeUnknownArea(file: string): string {
  return `${file}: lies in no area of the table; give its folder a row in _tools/layers.ts, or move it`;
}

function edgeProblems(edge: ImportEdge): string[] {
  const rule = ruleOf(edge.from);
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
  if (!isTestFile(edge.from) && isPrivateToOther(edge)) {
    refuse(`imports ${edge.to}, which is private to its folder`);
  }
  if (isFace(edge.to) && rule.faces !== true) {
    refuse(`imports ${edge.to}: nothing inside imports a public face, import the file itself`);
  }
  const target = ruleOf(edge.to);
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

function isPrivateToOther(edge: ImportEdge): boolean {
  const owner = dirname(edge.to);
  if (!edge.to.split("/").at(-1)?.startsWith("_")) return false;
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
