/** Where the config file of a project may lie, tried with links and pipes, which need a program to be made. */
import { deepEqual, equal, match } from "node:assert/strict";
import { findConfig } from "../../cli/config/find_config.ts";
import { type Home, onlyResult, openHome } from "./cli_process.ts";

const UNIX = { ignore: Deno.build.os === "windows" };

/** Runs a script of `sh` in a home. */
async function shell(home: Home, script: string): Promise<void> {
  const { code } = await new Deno.Command("sh", { args: ["-ec", script], cwd: home.path }).output();
  equal(code, 0);
}

Deno.test(
  "config: a link is followed in the project, and refused where it leads out",
  UNIX,
  async () => {
    await using home = await openHome();
    await shell(
      home,
      `mkdir -p repo/.git repo/shared repo/a repo/b repo/c/.agentloop repo/d/.agentloop elsewhere
    echo '{}' | tee elsewhere/config.json > repo/shared/config.json
    ln -s ../shared repo/a/.agentloop
    ln -s ../../elsewhere repo/b/.agentloop
    ln -s ../../../elsewhere/config.json repo/c/.agentloop/config.json
    ln -s nowhere repo/d/.agentloop/config.json`,
    );
    const repo = await Deno.realPath(`${home.path}/repo`);
    equal((await findConfig(`${repo}/a`))?.path, `${repo}/shared/config.json`);
    const out = `it is a link that leads out of the project, whose root is ${repo}`;
    const nowhere = "it is a link that cannot be followed: there is no such file.";
    for (const [folder, reason] of [["b", out], ["c", out], ["d", nowhere]] as const) {
      const { code, stdout } = await home.run(["--json", "sessions", "ls"], {
        cwd: `${repo}/${folder}`,
      });
      equal(code, 3);
      deepEqual(onlyResult(stdout).error, {
        type: "usage",
        message: `${repo}/${folder}/.agentloop/config.json: ${reason}`,
      });
      const without = await home.run(["sessions", "ls", "--no-config"], {
        cwd: `${repo}/${folder}`,
      });
      equal(without.code, 0);
    }
  },
);

Deno.test(
  "config: a link that leads to itself is refused as any that cannot be followed",
  UNIX,
  async () => {
    await using home = await openHome();
    await shell(
      home,
      "mkdir -p file/.agentloop; ln -s .agentloop .agentloop; ln -s config.json file/.agentloop/config.json",
    );
    for (const folder of [".", "file"]) {
      const { code, stderr } = await home.run(["sessions", "ls"], {
        cwd: `${home.path}/${folder}`,
      });
      equal(code, 3, stderr);
      match(
        stderr,
        /^agentloop: .*config\.json: it is a link that cannot be followed: it leads to itself\.\n--no-config/,
      );
    }
  },
);

Deno.test(
  "config: what a trusted file names in the project stays there, whatever links are put there later",
  UNIX,
  async () => {
    await using home = await openHome("http://127.0.0.1:1/v1");
    await shell(
      home,
      `mkdir -p elsewhere repo/.git repo/.agentloop repo/in; echo secret > elsewhere/file
    ln -s in repo/link
    echo '{ "cwd": "link", "context": "@link/file", "db": "link/new/s.db" }' > repo/.agentloop/config.json
    echo text > repo/in/file`,
    );
    const cwd = await Deno.realPath(`${home.path}/repo`);
    equal((await home.run(["trust", "--yes"], { cwd })).code, 0);
    const inside = await home.run(["--json", "hi"], { cwd });
    equal(inside.code, 1);
    for (const target of ["../elsewhere", "nowhere", "link"]) {
      await shell(home, `rm repo/link; ln -s ${target} repo/link`);
      for (const key of ["cwd", "context", "db"]) {
        const left = ["cwd", "context", "db"].filter((other) => other !== key)
          .flatMap((other) => [`--${other}`, other === "cwd" ? "." : other]);
        const { code, stdout } = await home.run(["--json", ...left, "hi"], { cwd });
        equal(code, 3, stdout);
        match(
          onlyResult(stdout).error?.message ?? "",
          new RegExp(
            `"${key}": ${cwd}/link\\S* is reached by a link that leads out of the project ${cwd}$`,
          ),
        );
      }
    }
    deepEqual([...Deno.readDirSync(`${home.path}/elsewhere`)].map(({ name }) => name), ["file"]);
  },
);

Deno.test("config: a pipe in its place holds nothing up", UNIX, async () => {
  await using home = await openHome();
  await shell(home, "mkdir .agentloop; mkfifo .agentloop/config.json");
  const { code, stderr } = await home.run(["sessions", "ls"]);
  equal(code, 3);
  match(stderr, /^agentloop: .*config\.json: it is no regular file\n--no-config leaves/);
});

Deno.test(
  "init: nothing is written through a link that leads out, or into a file",
  UNIX,
  async () => {
    await using home = await openHome();
    await shell(
      home,
      `mkdir -p repo/.git elsewhere
    ln -s ../elsewhere repo/.agentloop
    mkdir -p skills/.git skills/.agentloop; ln -s ../../elsewhere skills/.agentloop/skills
    mkdir -p dangling/.git dangling/.agentloop
    ln -s ../../elsewhere/new.json dangling/.agentloop/config.json
    mkdir -p file/.git; echo kept > file/.agentloop`,
    );
    const told = async (folder: string) => {
      const { code, stdout, stderr } = await home.run(["init"], { cwd: `${home.path}/${folder}` });
      equal(stdout, "");
      return { code, stderr };
    };
    const repo = await told("repo");
    equal(repo.code, 1);
    match(
      repo.stderr,
      /^agentloop: Cannot write into .*repo\/\.agentloop: it is a link that leads out/,
    );
    const skills = await told("skills");
    equal(skills.code, 1);
    match(
      skills.stderr,
      /^Wrote .*config\.json\nagentloop: Cannot write into .*skills: it is a link/,
    );
    const dangling = await told("dangling");
    equal(dangling.code, 0);
    match(dangling.stderr, /^Left .*config\.json as it is\.\nWrote .*SKILL\.md\n$/);
    const file = await told("file");
    equal(file.code, 1);
    match(file.stderr, /^agentloop: Cannot write into .*file\/\.agentloop: it is no folder\.\n$/);
    deepEqual([...Deno.readDirSync(`${home.path}/elsewhere`)], []);
    equal(await Deno.readTextFile(`${home.path}/file/.agentloop`), "kept\n");
  },
);
