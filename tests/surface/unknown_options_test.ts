import { match, rejects, throws } from "node:assert/strict";
import { createAssistant, reviewClaims } from "../../ext/assistant/mod.ts";
import {
  loadProject,
  projectCapability,
  renderCatalog,
  renderProject,
} from "../../ext/project/mod.ts";
import {
  runDue,
  schedulerCapability,
  startScheduler,
  webhookChannel,
} from "../../ext/scheduler/mod.ts";
import { searxngProvider } from "../../ext/search/mod.ts";
import { MemoryStore, modelDistiller, Redactor } from "../../mod.ts";
import { openSqliteStore } from "../../stores/sqlite/mod.ts";
import { scriptedClient } from "../../testing.ts";
import { createToolExpander } from "../../tools/mod.ts";
import { openSqliteToolExpander } from "../../tools/sqlite/mod.ts";

const WEBHOOK = {
  url: "https://example.com/",
  secret: "0123456789abcdef",
  fetch,
  checkUrl() {},
};

/** Makes something, with an option that does not exist beside those that it needs. */
type Make = (misspelt: object) => unknown;

const MAKERS: Readonly<Record<string, Make>> = {
  // Misspelt, it would open the store to write.
  openSqliteStore: (wrong) => openSqliteStore(":memory:", { ...wrong }),
  openSqliteToolExpander: (wrong) => openSqliteToolExpander([], { ...wrong }),
  modelDistiller: (wrong) => modelDistiller({ llm: scriptedClient([]), ...wrong }),
  searxngProvider: (wrong) => searxngProvider({ url: "https://example.com/", ...wrong }),
  webhookChannel: (wrong) => webhookChannel({ ...WEBHOOK, ...wrong }),
  schedulerCapability: (wrong) =>
    schedulerCapability({ schedule: openSqliteStore(":memory:").schedule, ...wrong }),
  startScheduler: (wrong) =>
    startScheduler({ schedule: openSqliteStore(":memory:").schedule, channels: [], ...wrong }),
  runDue: (wrong) =>
    runDue({ schedule: openSqliteStore(":memory:").schedule, channels: [], ...wrong }),
  loadProject: (wrong) => loadProject({ cwd: ".", ...wrong }),
  renderProject: (wrong) => renderProject([], { ...wrong }),
  renderCatalog: (wrong) => renderCatalog([], { ...wrong }),
  projectCapability: (wrong) => projectCapability([], { ...wrong }),
  reviewClaims: (wrong) => reviewClaims({ ...wrong }),
  "Redactor.fromSecrets": (wrong) => Redactor.fromSecrets({}, { ...wrong }),
  // It has none, where the one with an index has; types see that, and only they would.
  createToolExpander: (wrong) => Reflect.apply(createToolExpander, undefined, [[], wrong]),
};

for (const [name, make] of Object.entries(MAKERS)) {
  Deno.test(`surface: ${name} refuses an option that does not exist, and names those that do`, async () => {
    const check = (error: Error) => {
      match(error.message, new RegExp(`^${name}: there is no option readonly; there are `));
      return error instanceof TypeError;
    };
    const wrong = { readonly: true };
    if (name === "runDue" || name === "loadProject") {
      await rejects(async () => await make(wrong), check);
    } else throws(() => make(wrong), check);
  });
}

Deno.test("surface: reviewClaims refuses a kind of deed that does not exist, by way of an assistant too", () => {
  const deeds = { save: ["my_save"] };
  const wrong = { message: /^reviewClaims: deeds: there is no option save; there are saved, / };
  throws(() => reviewClaims({ deeds } as object), wrong);
  throws(() => createAssistant({ steps: new MemoryStore(), ...{ deeds } as object }), wrong);
});
