import { equal } from "node:assert/strict";
import { Confinement } from "../../../ext/workspace/confinement.ts";
import { StandingWay } from "../../../ext/workspace/standing_way.ts";
import { WorkspaceFolder } from "./folder.ts";

/** A time that is no longer fresh. */
const OLD = new Date("2001-01-01");

/** Swaps `sub` for another folder, and back. */
function swap(root: string): void {
  Deno.renameSync(`${root}/sub`, `${root}/real`);
  Deno.mkdirSync(`${root}/sub`);
  Deno.removeSync(`${root}/sub`);
  Deno.renameSync(`${root}/real`, `${root}/sub`);
}

Deno.test("workspace: a swap within the second in which the folder was looked at is noticed", async () => {
  await using folder = await WorkspaceFolder.open({ "sub/a.txt": "a" });
  await Deno.utime(folder.root, OLD, OLD);
  const way = new StandingWay(new Confinement(folder.root));
  way.enter(["sub"]);
  equal(way.stoodStill(), true);
  swap(folder.root);
  equal(way.stoodStill(), false);
});

Deno.test("workspace: a swap after which the folder's time was set back is noticed", async () => {
  await using folder = await WorkspaceFolder.open({ "sub/a.txt": "a" });
  await Deno.utime(folder.root, OLD, OLD);
  const within = new Confinement(folder.root);
  const way = new StandingWay(within);
  way.enter(["sub"]);
  const swapUnseen = async () => {
    // The time that cannot be set comes in whole seconds.
    const { ctime } = await Deno.lstat(folder.root);
    while (Date.now() < ctime!.getTime() + 1000) await new Promise((go) => setTimeout(go, 20));
    swap(folder.root);
    await Deno.utime(folder.root, OLD, OLD);
  };
  let tries = 0;
  await within.steady(["sub"], "sub", {
    act: async () => void (++tries === 1 && await swapUnseen()),
  });
  equal(tries, 2);
  equal(way.stoodStill(), false);
});
