/**
 * What finds everything else: `require` for modules, `help`, `skillList` and `skillGet` for documentation that stays out of the prompt until
 * it is asked for. The builder adds it when there is something to find.
 */
import type { JsonValue } from "../../../contracts/json.ts";
import type { HostFunction, Pack, PackDocument } from "../../../contracts/sandbox.ts";

/** Names that the core pack defines. */
export const CORE_NAMES = ["require", "help", "skillList", "skillGet"] as const;

const PROMPT_REQUIRE = "declare function require(module: string): any; // modules: ";
const PROMPT_HELP =
  `declare function help(name?: string): string; // documentation of a function, module or skill
declare function skillList(): { name: string; description: string }[];
`;
const PROMPT_GET = "declare function skillGet(name: string): string;";
/** Where documents have files: those are skills, to be read before the work and not while it fails. */
const PROMPT_GET_FILES =
  "declare function skillGet(name: string, path?: string /* a file beside it */): string; // log it and follow it before work that it fits";

/** Paths that are shown below a text. */
const SHOWN_FILES = 100;

/** `require` asks the gate for the module's name first, blocking in either style: scripts use what it gives at once. The name is read once. */
const GUEST_SOURCE = `
const modules = host.moduleNamed;
host.define("require", function require(name) {
  const wanted = "" + name;
  host.callNow("require", [wanted]);
  return modules(wanted);
});`;

/** Makes the pack for what the other packs bring; nothing when they bring neither modules nor documents. */
export function corePack(packs: readonly Pack[]): Pack | undefined {
  const modules = packs.flatMap((pack) => pack.modules ?? []);
  const documents = packs.flatMap((pack) => pack.documents ?? []);
  if (modules.length === 0 && documents.length === 0) return undefined;
  const prompts = [
    ...(modules.length > 0 ? [PROMPT_REQUIRE + modules.join(", ")] : []),
    ...(documents.length > 0
      ? [PROMPT_HELP + (documents.some((one) => one.files) ? PROMPT_GET_FILES : PROMPT_GET)]
      : []),
  ];
  return {
    name: "core",
    prompt: prompts.join("\n"),
    functions: [
      ...(modules.length > 0 ? [requireFunction(modules)] : []),
      ...(documents.length > 0 ? documentFunctions(packs, documents) : []),
    ],
    ...(modules.length > 0 && { guestSource: GUEST_SOURCE }),
  };
}

/** Passes through the gate what module a script wants, so that a policy can refuse it by name. */
function requireFunction(modules: readonly string[]): HostFunction {
  return {
    name: "require",
    target: ([name]) => String(name),
    execute([name]) {
      if (modules.includes(String(name))) return null;
      throw new Error(`there is no module ${quoted(name)}; there is: ${modules.join(", ")}`);
    },
  };
}

function documentFunctions(
  packs: readonly Pack[],
  documents: readonly PackDocument[],
): HostFunction[] {
  const find = (name: JsonValue | undefined): PackDocument => {
    const found = documents.find((document) => document.name === name);
    if (found !== undefined) return found;
    const known = documents.map((document) => document.name).join(", ");
    throw new Error(`there is no documentation named ${quoted(name)}; there is: ${known}`);
  };
  return [
    {
      name: "help",
      execute: ([name]) =>
        name === undefined
          ? overview(packs, documents)
          : declarationOf(name, { packs, documents }) ?? textOf(find(name)),
    },
    {
      name: "skillList",
      execute: () => documents.map(({ name, description }) => ({ name, description })),
    },
    {
      name: "skillGet",
      target: ([name, path]) => isAbsent(path) ? String(name) : `${name}/${path}`,
      execute: ([name, path]) => isAbsent(path) ? textOf(find(name)) : readFile(find(name), path),
    },
  ];
}

function isAbsent(value: JsonValue | undefined): value is undefined | null {
  return value === undefined || value === null;
}

/** The text, and what lies beside it. */
async function textOf({ name, text, files }: PackDocument): Promise<string> {
  const paths = await files?.list() ?? [];
  if (paths.length === 0) return text;
  const shown = paths.slice(0, SHOWN_FILES).join("\n");
  const more = paths.length > SHOWN_FILES ? `\nand ${paths.length - SHOWN_FILES} more` : "";
  return `${text}\n\nFiles beside it, each by skillGet(${quoted(name)}, path):\n${shown}${more}`;
}

async function readFile({ name, files }: PackDocument, path: JsonValue): Promise<string> {
  if (files === undefined) throw new Error(`there are no files beside ${quoted(name)}`);
  if (typeof path !== "string") throw new TypeError("skillGet: path must be a string");
  return await files.read(path);
}

/** What there is on a function that no document is named after: that of its pack, or how it is declared. */
function declarationOf(
  name: JsonValue,
  { packs, documents }: {
    readonly packs: readonly Pack[];
    readonly documents: readonly PackDocument[];
  },
): string | undefined {
  if (documents.some((document) => document.name === name)) return undefined;
  const pack = packs.find(({ functions }) => functions.some((fn) => fn.name === name));
  return pack?.documents?.[0]?.text ?? pack?.prompt;
}

/** All declarations, and what there is to read. */
function overview(packs: readonly Pack[], documents: readonly PackDocument[]): string {
  const declarations = packs.map((pack) => pack.prompt.trim()).filter((text) => text !== "");
  const lines = documents.map(({ name, description }) => `${name}: ${description}`);
  return [...declarations, "", "help(name) shows:", ...lines].join("\n");
}

function quoted(name: JsonValue | undefined): string {
  return JSON.stringify(String(name).slice(0, 100));
}
