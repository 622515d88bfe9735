/** The capability: scripts list the project's instructions and read them whole. */
import type { JsonValue } from "../../contracts/json.ts";
import type { Capability, HostFunction } from "../../contracts/sandbox.ts";
import type { ProjectDocument } from "./load_project.ts";
import { type CatalogOptions, checkCatalogOptions, openingsOf } from "./render_catalog.ts";

const PROMPT = `// The project's instructions. whole: all of the file stands in this prompt.
declare function projectList(): { name: string; bytes: number; whole: boolean }[];
declare function projectGet(name: string): string;`;

/** Characters of a wrong name that an error shows. */
const SHOWN_CHARACTERS = 100;

/**
 * A capability named `project` that lets scripts read instructions which stand in the prompt in part: `projectList()` and `projectGet(name)`. They see
 * the files that are handed in and touch no disk.
 *
 * @param options the same as for `renderCatalog`, so that the list tells rightly what the prompt has
 * @throws {RangeError} when a bound is no positive whole number. @throws {TypeError} when there is no such option.
 */
export function projectCapability(
  documents: readonly ProjectDocument[],
  options: CatalogOptions = {},
): Capability {
  checkCatalogOptions("projectCapability", options);
  const shown = openingsOf(documents, options);
  const list = documents.map(({ name, bytes, text }, index) => ({
    name,
    bytes,
    whole: shown[index] === text,
  }));
  const functions: readonly HostFunction[] = [
    { name: "projectList", execute: () => list },
    {
      name: "projectGet",
      target: ([name]) => typeof name === "string" ? name : undefined,
      execute: ([name]) => documentNamed(documents, name).text,
    },
  ];
  return {
    name: "project",
    description: "the project's instructions, whole",
    build: () => documents.length === 0 ? [] : [{ name: "project", prompt: PROMPT, functions }],
  };
}

function documentNamed(
  documents: readonly ProjectDocument[],
  name: JsonValue | undefined,
): ProjectDocument {
  if (typeof name !== "string") throw new TypeError("projectGet: the name must be a string");
  const found = documents.find((document) => document.name === name.replace(/^\.\//, ""));
  if (found !== undefined) return found;
  const known = documents.map((document) => document.name).join(", ");
  const shown = JSON.stringify(name.slice(0, SHOWN_CHARACTERS).toWellFormed());
  throw new Error(`projectGet: there is no ${shown}; there is: ${known}`);
}
