/** The guest refuses an engine build that is not the one it was written for, and says what is missing. */
import { match, rejects } from "node:assert/strict";
import { DEFAULT_SANDBOX_LIMITS } from "../../contracts/sandbox.ts";
import { type Engine, type GlueLoader, type Imports, loadEngine, loadGlue } from "./engine.ts";
import { createGuestRuntime } from "./runtime.ts";

/** What is done to the pinned build. */
interface Doctored {
  /** Changes what the engine imports, before the guest looks at it. */
  readonly imports?: (imports: Imports) => void;
  /** Changes what the build's code gives. */
  readonly glue?: (glue: Record<string, unknown>) => void;
}

type Instantiate = (imports: { a: Imports }, done: unknown) => unknown;

function doctoredEngine({ imports, glue }: Doctored): Promise<Engine> {
  return loadEngine(async () => {
    const load = await loadGlue();
    return async (options) => {
      const instantiate = options.instantiateWasm as Instantiate | undefined;
      const loaded = await load({
        ...options,
        ...(instantiate !== undefined && {
          instantiateWasm(found: { a: Imports }, done: unknown) {
            imports?.(found.a);
            return instantiate(found, done);
          },
        }),
      });
      const changed: Record<string, unknown> = { ...loaded };
      glue?.(changed);
      return changed as Awaited<ReturnType<GlueLoader>>;
    };
  });
}

/** The name of the import whose source calls this. */
function importThat(calls: string, imports: Imports): string {
  const found = Object.keys(imports).find((name) => String(imports[name]).includes(calls));
  if (found === undefined) throw new Error(`no import calls ${calls}`);
  return found;
}

function makeInstance(doctored: Doctored): Promise<unknown> {
  return doctoredEngine(doctored).then((engine) =>
    engine.createInstance(DEFAULT_SANDBOX_LIMITS.memoryBytes)
  );
}

function refusal(what: string): (error: Error) => boolean {
  return (error) => {
    match(error.message, /^The QuickJS build is not the one this version was made for: /);
    match(error.message, new RegExp(`: ${what}\\. Install the pinned package\\.$`));
    return true;
  };
}

Deno.test("engine: the pinned build is taken, doctored or not by a hand that changes nothing", async () => {
  await makeInstance({});
});

const SIGNS = {
  callFunction: "callFunction",
  poll: "shouldInterrupt",
  freeHostRef: "freeHostRef",
  clock: "Date.now()",
  localTime: "getSeconds",
  grow: ".grow(",
};
for (const [role, sign] of Object.entries(SIGNS)) {
  Deno.test(`engine: a build without the import ${role} is refused`, async () => {
    const imports = (found: Imports) => void (found[importThat(sign, found)] = () => 0);
    await rejects(makeInstance({ imports }), refusal(`the import ${role} was not found`));
  });

  Deno.test(`engine: a build with two imports that look like ${role} is refused`, async () => {
    const imports = (found: Imports) => void (found.another = found[importThat(sign, found)]);
    await rejects(makeInstance({ imports }), refusal(`two imports look like ${role}`));
  });
}

for (const name of ["_QTS_Eval", "_QTS_NewContext", "_QTS_GetString", "_malloc"]) {
  Deno.test(`engine: a build without the export ${name} is refused`, async () => {
    const glue = (found: Record<string, unknown>) => void delete found[name];
    await rejects(makeInstance({ glue }), refusal(`the export ${name} was not found`));
  });
}

// A wrapped one cannot suspend: what it calls would run on another stack.
for (const name of ["_QTS_Eval", "_QTS_Call", "_QTS_ExecutePendingJob"]) {
  Deno.test(`engine: a build whose ${name} is wrapped is refused`, async () => {
    const glue = (found: Record<string, unknown>) => {
      const original = found[name] as (...args: number[]) => number;
      found[name] = (...args: number[]) => original(...args);
    };
    await rejects(makeInstance({ glue }), refusal(`${name} is not a raw export`));
  });
}

Deno.test("engine: a build that does not carry its bytes as the pinned one does is refused", async () => {
  const empty = loadEngine(() => Promise.resolve(() => Promise.resolve({})));
  await rejects(empty, refusal("its WASM bytes were not found"));
});

Deno.test("guest: an engine in which another import passes for the clock is refused before the first script", async () => {
  const load = () =>
    doctoredEngine({
      imports(found) {
        const name = importThat(SIGNS.clock, found);
        const clock = found[name] as () => number;
        found[name] = () => clock();
        found.decoy = () => Date.now();
      },
    });
  await rejects(
    createGuestRuntime(DEFAULT_SANDBOX_LIMITS, load),
    /^Error: The QuickJS build does not behave as expected: /,
  );
});
