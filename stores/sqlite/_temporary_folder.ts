/** What the tests of this folder share: a folder that goes away, and a check of what an error says. */
import { AgentLoopError, type ErrorCode } from "../../contracts/errors.ts";

/** A folder for one test's files. */
export class TemporaryFolder implements Disposable {
  /** The folder, as an absolute path. */
  readonly path: string = Deno.makeTempDirSync({ prefix: "agentloop-store-" });

  /** Names and contents of all files in it. */
  files(): Map<string, Uint8Array> {
    const entries = [...Deno.readDirSync(this.path)].filter((entry) => entry.isFile);
    return new Map(
      entries.map(({ name }) => [name, Deno.readFileSync(`${this.path}/${name}`)] as const)
        .toSorted(([a], [b]) => a < b ? -1 : 1),
    );
  }

  /** Whether a text of one-byte characters stands in any of its files. */
  contains(text: string): boolean {
    const latin1 = new TextDecoder("latin1");
    return [...this.files().values()].some((bytes) => latin1.decode(bytes).includes(text));
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.path, { recursive: true });
  }
}

/** For `assert.throws` and `assert.rejects`: the error has this code, and its message names the file. */
export function hasCode(code: ErrorCode, path: string): (error: unknown) => boolean {
  return (error) => {
    if (error instanceof AgentLoopError && error.code === code && error.message.includes(path)) {
      return true;
    }
    throw error;
  };
}
