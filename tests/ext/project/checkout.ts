/** For the tests of project instructions: a checkout in a folder of its own, with another folder beside it. */

/** A checkout, gone when it is disposed. */
export class Checkout implements AsyncDisposable {
  /** The folder that holds everything. */
  readonly base: string;
  /** The root of the checkout. */
  readonly root: string;

  private constructor(base: string) {
    this.base = base;
    this.root = `${base}/repo`;
  }

  /** Makes one with these files, paths from the root, and `outside/AGENTS.md` beside it. */
  static async open(
    files: Readonly<Record<string, string | Uint8Array>> = {},
  ): Promise<Checkout> {
    const base = await Deno.realPath(await Deno.makeTempDir({ prefix: "project_" }));
    const checkout = new Checkout(base);
    await checkout.put("../outside/AGENTS.md", "the secret");
    await checkout.put(".git/config", "token of git");
    for (const [path, content] of Object.entries(files)) await checkout.put(path, content);
    return checkout;
  }

  /** Writes a file. */
  async put(path: string, content: string | Uint8Array): Promise<void> {
    const full = `${this.root}/${path}`;
    await Deno.mkdir(full.slice(0, full.lastIndexOf("/")), { recursive: true });
    if (typeof content === "string") await Deno.writeTextFile(full, content);
    else await Deno.writeFile(full, content);
  }

  /** Runs a line of shell in the root. */
  async shell(line: string): Promise<void> {
    const command = new Deno.Command("sh", { args: ["-c", line], cwd: this.root, stdin: "null" });
    const { success, stderr } = await command.output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
  }

  /** Takes everything away. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.base, { recursive: true });
  }
}
