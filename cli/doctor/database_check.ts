/**
 * What the database holds. Looks only: a missing one is not made, an old one not changed.
 */
import { describeFailure } from "../failure.ts";
import type { CliOptions } from "../option_table.ts";
import { isOlderSchema, openStoreToRead, pathOf } from "../store_access.ts";
import { countOf, formatBytes } from "../units.ts";
import type { CheckResult } from "./checks.ts";

/** Looks at the database that the options and the environment name. */
export async function checkDatabase(options: Pick<CliOptions, "db">): Promise<CheckResult> {
  const name = "database";
  try {
    const path = pathOf(options);
    await using opened = await openStoreToRead(options, { mayMigrate: false });
    if (opened === undefined) {
      return {
        name,
        state: "ok",
        detail: `${path} is not there yet; the first run makes it`,
        data: { path, exists: false },
      };
    }
    const sessions = await opened.store.list();
    const steps = sessions.reduce((sum, session) => sum + session.stepCount, 0);
    const bytes = (await Deno.stat(path)).size;
    const schema = await schemaOf(path);
    const contents = [
      `schema ${schema}`,
      countOf(sessions.length, "session"),
      countOf(steps, "step"),
      formatBytes(bytes),
    ];
    return {
      name,
      state: "ok",
      detail: `${path}: ${contents.join(", ")}`,
      data: { path, exists: true, schema, sessions: sessions.length, steps, bytes },
    };
  } catch (error) {
    if (isOlderSchema(error)) return await older(name, pathOf(options));
    const { message, type } = describeFailure(error);
    return { name, state: "failed", detail: message, data: { error_type: type } };
  }
}

/** A file of an older version is in order; it is left as it is. */
async function older(name: string, path: string): Promise<CheckResult> {
  const schema = await schemaOf(path);
  return {
    name,
    state: "ok",
    detail: `${path}: schema ${schema}, of an older version; the next run brings it up to date`,
    data: { path, exists: true, schema },
  };
}

async function schemaOf(path: string): Promise<number> {
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return Number(database.prepare("PRAGMA user_version").get()?.user_version);
  } finally {
    database.close();
  }
}
