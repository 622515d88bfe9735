/**
 * The variables that a command is started with: a short list of harmless ones from the program's own, the embedder's, the script's. Since
 * nothing else is handed on, no key is there to be read.
 */
import { isAbsolute } from "node:path";

/** What commands inherit where it is set and may be read. The locale's variables are listed in locale(7). */
export const INHERITED_VARIABLES: readonly string[] = [
  "PATH",
  "HOME",
  "TERM",
  "TMPDIR",
  "LANG",
  "LC_ALL",
  "LC_ADDRESS",
  "LC_COLLATE",
  "LC_CTYPE",
  "LC_IDENTIFICATION",
  "LC_MEASUREMENT",
  "LC_MESSAGES",
  "LC_MONETARY",
  "LC_NAME",
  "LC_NUMERIC",
  "LC_PAPER",
  "LC_TELEPHONE",
  "LC_TIME",
];

/** What programs on Windows do not start without. */
const WINDOWS_VARIABLES = ["SystemRoot", "SystemDrive", "PATHEXT", "TEMP", "TMP", "USERPROFILE"];

/** The beginning of each says whose they are: the dynamic loaders', this runtime's, a shell's exported functions. */
const REFUSED_PREFIXES = ["LD_", "DYLD_", "DENO_", "BASH_FUNC_", "MALLOC_", "GCONV_"];

/** Variables that make a program load code, or change which program a name stands for. */
const REFUSED_NAMES = new Set([
  "PATH",
  "PATHEXT",
  "COMSPEC",
  "SYSTEMROOT",
  "IFS",
  "ENV",
  "BASH_ENV",
  "SHELLOPTS",
  "BASHOPTS",
  "PS4",
  "PROMPT_COMMAND",
  "ZDOTDIR",
  "NODE_OPTIONS",
  "NODE_PATH",
  "PYTHONSTARTUP",
  "PYTHONPATH",
  "PYTHONHOME",
  "PERL5OPT",
  "PERL5LIB",
  "PERL5DB",
  "RUBYOPT",
  "RUBYLIB",
  "JAVA_TOOL_OPTIONS",
  "JDK_JAVA_OPTIONS",
  "_JAVA_OPTIONS",
  "GIT_SSH",
  "GIT_SSH_COMMAND",
  "GIT_EXEC_PATH",
  "GIT_EXTERNAL_DIFF",
  "GIT_ASKPASS",
  "OPENSSL_CONF",
  "OPENSSL_MODULES",
  "NLSPATH",
]);

/**
 * Checks the name of a variable that a script wants to add.
 *
 * @throws {TypeError} when it is no name, changes what code programs load, or is the embedder's.
 */
export function checkVariable(name: string, embedders: Readonly<Record<string, string>>): void {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    throw new TypeError(`${JSON.stringify(name.slice(0, 100))} is no name of a variable.`);
  }
  const upper = name.toUpperCase();
  if (REFUSED_NAMES.has(upper) || REFUSED_PREFIXES.some((prefix) => upper.startsWith(prefix))) {
    throw new TypeError(
      `exec does not set ${name}: it would change which code programs load. Leave it out.`,
    );
  }
  if (Object.hasOwn(embedders, name)) {
    throw new TypeError(`exec does not set ${name}: the program has set it. Leave it out.`);
  }
}

/** Everything that a command is started with. Variables that the program may not read are left out, without a prompt. */
export function commandEnvironment(
  embedders: Readonly<Record<string, string>>,
  scripts: ReadonlyMap<string, string>,
): Record<string, string> {
  const windows = Deno.build.os === "windows";
  const names = windows ? [...INHERITED_VARIABLES, ...WINDOWS_VARIABLES] : INHERITED_VARIABLES;
  const inherited = names.flatMap((name): [string, string][] => {
    const value = readVariable(name);
    if (value === undefined) return [];
    return [[name, name === "PATH" ? absoluteOnly(value, windows ? ";" : ":") : value]];
  });
  return Object.fromEntries([...inherited, ...Object.entries(embedders), ...scripts]);
}

/** A relative folder in PATH would let a file of the workspace pass for a command. */
function absoluteOnly(path: string, separator: string): string {
  return path.split(separator).filter((folder) => isAbsolute(folder)).join(separator);
}

function readVariable(name: string): string | undefined {
  const { state } = Deno.permissions.querySync({ name: "env", variable: name });
  return state === "granted" ? Deno.env.get(name) : undefined;
}
