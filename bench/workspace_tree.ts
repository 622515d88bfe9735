/** A tree of files for the workspace's bench: the same each time, with folders in folders, rules, and a `.git` folder. */

const WORDS =
  "const let function return import export from await async value result error string number boolean options path file folder entry match index length buffer stream request response session token model prompt step call host guest pack policy limit time"
    .split(" ");

/** What the tree consists of. */
export interface TreeSize {
  /** Text files. */
  readonly files: number;
  /** Bytes of all of them. */
  readonly bytes: number;
}

/**
 * Makes the tree. One file in 500 holds the line `needle_in_haystack`, one in twenty characters beyond ASCII.
 *
 * @param root An empty folder.
 */
export function makeTree(root: string, { files, bytes }: TreeSize): void {
  let state = 1;
  const random = (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) % below;
  };
  const word = () => WORDS[random(WORDS.length)] ?? "";
  const folders: string[] = [];
  for (let n = 0; n < files / 50; n++) {
    const folder = `${n < 20 ? root : folders[random(folders.length)]}/${word()}${n}`;
    Deno.mkdirSync(folder);
    folders.push(folder);
  }
  const mean = bytes / files;
  for (let n = 0; n < files; n++) {
    // Most are short, some are long.
    const size = random(10) === 0 ? random(10 * mean) : random(Math.round(1.1 * mean));
    const name = `${word()}${n}${[".ts", ".js", ".md", ".json"][random(4)]}`;
    Deno.writeTextFileSync(`${folders[random(folders.length)]}/${name}`, textOf(size));
  }
  Deno.writeTextFileSync(`${root}/.gitignore`, "# rules\n*.log\n/node_modules/\ndist/\n*.tmp\n");
  for (const ignored of ["node_modules/package", "dist", ".git/objects"]) {
    Deno.mkdirSync(`${root}/${ignored}`, { recursive: true });
    for (let n = 0; n < 100; n++) {
      Deno.writeTextFileSync(`${root}/${ignored}/file${n}.js`, textOf(2 * mean));
    }
  }

  function textOf(size: number): string {
    let text = "";
    while (text.length < size) {
      text += "  ".repeat(random(4));
      for (let left = 3 + random(9); left > 0; left--) text += word() + (random(6) ? " " : "(");
      text += "\n";
    }
    if (random(20) === 0) text += "grüße → ✓\n";
    return random(500) === 0 ? `${text}needle_in_haystack here\n` : text;
  }
}
