/**
 * All benches, one after the other, each in a process of its own.
 *
 *     deno task bench [name …]
 */

const BENCHES = [
  "turns",
  "tools",
  "protocols",
  "start",
  "memory",
  "sandbox",
  "stores",
  "prompt",
  "prefix",
  "http",
  "concurrency",
  "workspace",
  "claims",
];

/** Benches that load a peer's packages, which the lock file is not to know. */
const UNLOCKED = ["tools"];

const wanted = Deno.args.length > 0 ? Deno.args : BENCHES;
for (const name of wanted) {
  if (!BENCHES.includes(name)) {
    console.error(`There is no bench "${name}"; there is: ${BENCHES.join(", ")}`);
    Deno.exit(3);
  }
  console.log(`\n## ${name}`);
  const script = new URL(`./${name}_bench.ts`, import.meta.url).pathname;
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-prompt", ...(UNLOCKED.includes(name) ? ["--no-lock"] : []), script],
  }).spawn().status;
  if (!success) Deno.exit(1);
}
