/** For the tests of the workspace: a folder with files, one outside of it, and the functions as scripts call them. */
import type { JsonValue } from "../../../contracts/json.ts";
import type { CallContext, HostFunction, Pack } from "../../../contracts/sandbox.ts";
import { workspaceCapability, type WorkspaceOptions } from "../../../ext/workspace/mod.ts";

/** What every refusal says after the path. */
export const REFUSED = /is outside of the workspace or no regular file$/;

/** A workspace of its own, gone when it is disposed. */
export class WorkspaceFolder implements AsyncDisposable {
  /** The folder that holds both. */
  readonly base: string;
  /** The workspace. */
  readonly root: string;
  /** What lies beside it. */
  readonly outside: string;
  /** What scripts can call. */
  readonly functions: ReadonlyMap<string, HostFunction>;
  /** What a model is told. */
  readonly pack: Pack;

  private constructor(base: string, pack: Pack) {
    this.base = base;
    this.root = `${base}/ws`;
    this.outside = `${base}/outside`;
    this.pack = pack;
    this.functions = new Map(pack.functions.map((one) => [one.name, one]));
  }

  /** Makes one with these files in it, and `outside/secret.txt` beside it. */
  static async open(
    files: Readonly<Record<string, string | Uint8Array>> = {},
    options: Partial<WorkspaceOptions> = {},
  ): Promise<WorkspaceFolder> {
    const base = await Deno.realPath(await Deno.makeTempDir({ prefix: "workspace_" }));
    await Deno.mkdir(`${base}/ws`);
    await Deno.mkdir(`${base}/outside`);
    await Deno.writeTextFile(`${base}/outside/secret.txt`, "the secret");
    const folder = new WorkspaceFolder(base, await buildPack(`${base}/ws`, options));
    for (const [path, content] of Object.entries(files)) await folder.put(path, content);
    return folder;
  }

  /** Writes a file past the functions. */
  async put(path: string, content: string | Uint8Array): Promise<void> {
    const full = `${this.root}/${path}`;
    await Deno.mkdir(full.slice(0, full.lastIndexOf("/")), { recursive: true });
    await Deno.writeFile(
      full,
      typeof content === "string" ? new TextEncoder().encode(content) : content,
    );
  }

  /** Reads a file past the functions. */
  text(path: string): string {
    return Deno.readTextFileSync(`${this.root}/${path}`);
  }

  /** Calls a function as a script does. */
  // deno-lint-ignore no-explicit-any -- what a function returns is for the test to look at
  async call(name: string, ...args: readonly JsonValue[]): Promise<any> {
    const context = { signal: new AbortController().signal } as CallContext;
    return await this.functions.get(name)?.execute(args, context);
  }

  /** What a person would be shown of a call. */
  async preview(name: string, ...args: readonly JsonValue[]): Promise<string> {
    return await this.functions.get(name)?.preview?.(args) ?? "";
  }

  /** Runs a line of shell in the workspace: for links, pipes and the like. */
  async shell(line: string): Promise<void> {
    const command = new Deno.Command("sh", { args: ["-c", line], cwd: this.root, stdin: "null" });
    const { success, stderr } = await command.output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
  }

  /** Every path below the base, sorted, with what the files outside hold. */
  outsideState(): string {
    return [...Deno.readDirSync(this.outside)].map(({ name, isFile }) =>
      isFile ? `${name}: ${Deno.readTextFileSync(`${this.outside}/${name}`)}` : name
    ).sort().join("\n");
  }

  /** Names of temporary files that were left in a folder of the workspace. */
  leftovers(path = "."): readonly string[] {
    return [...Deno.readDirSync(`${this.root}/${path}`)].map((entry) => entry.name)
      .filter((name) => name.endsWith(".tmp"));
  }

  /** Takes both folders away. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.base, { recursive: true });
  }
}

/** The pack over a folder. */
export async function buildPack(
  root: string,
  options: Partial<WorkspaceOptions> = {},
): Promise<Pack> {
  const capability = workspaceCapability({ root, ...options });
  const [pack] = await capability.build({
    signal: new AbortController().signal,
    sessionId: "s",
  });
  if (pack === undefined) throw new Error("the capability made no pack");
  return pack;
}
