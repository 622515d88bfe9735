/** Artifacts in the store's file. Part of `SqliteStore`, whose connection it uses. Versions are numbered inside the transaction that saves. */
import type { SQLInputValue, SQLOutputValue } from "node:sqlite";
import {
  type Artifact,
  type ArtifactAccess,
  type ArtifactInfo,
  type ArtifactOwner,
  type ArtifactStore,
  MAX_ARTIFACT_VERSIONS,
  MAX_SESSION_ARTIFACT_BYTES,
  MAX_SESSION_ARTIFACTS,
  type NewArtifact,
} from "../../contracts/artifact.ts";
import {
  accessKey,
  artifactsTooLarge,
  checkedArtifact,
  checkedArtifactId,
  checkedArtifactVersion,
  newArtifactId,
  ownerOfKey,
  tooManyArtifacts,
} from "../artifact_input.ts";
import { ownerKey } from "../fact_input.ts";
import { checkedListLimit, checkedSessionId } from "../step_input.ts";
import type { Connection } from "./connection.ts";
import { touchSession } from "./sessions.ts";
import { textOf, toColumn, toOptionalColumn } from "./text_column.ts";

/** The artifact of a name, with the number of its new version. */
const NEXT_VERSION = `
  UPDATE artifacts SET newest_version = newest_version + 1
    WHERE session_id = ? AND owner_key = ? AND filename = ?
    RETURNING artifact_key, newest_version, artifact_id, created_at`;
const MAKE = `
  INSERT INTO artifacts (artifact_id, session_id, owner_key, filename, newest_version, created_at)
    VALUES (?, ?, ?, ?, 1, ?) RETURNING artifact_key, newest_version, artifact_id, created_at`;
const COUNT = "SELECT count(*) FROM artifacts WHERE session_id = ? AND owner_key = ?";
const PUT = `
  INSERT INTO artifact_versions (artifact_key, version, title, type, byte_count, saved_at, content)
    VALUES (?, ?, ?, ?, ?, ?, ?)`;
const DROP = "DELETE FROM artifact_versions WHERE artifact_key = ? AND version <= ?";
const BYTES = `
  SELECT sum(byte_count) FROM artifacts JOIN artifact_versions USING (artifact_key)
    WHERE session_id = ? AND owner_key = ?`;
const COLUMNS =
  "artifact_id, owner_key, session_id, filename, created_at, version, title, type, byte_count, saved_at";
const LIST =
  `SELECT ${COLUMNS} FROM artifacts JOIN artifact_versions USING (artifact_key) WHERE version = newest_version`;
const NEWEST_FIRST = "ORDER BY save_id DESC LIMIT +?";
const READ = `
  SELECT ${COLUMNS}, content FROM artifacts JOIN artifact_versions USING (artifact_key)
    WHERE artifact_id = ?1 AND (?2 IS NULL OR owner_key = ?2) AND version = coalesce(?3, newest_version)`;
const REMOVE = "DELETE FROM artifacts WHERE artifact_id = ?1 AND (?2 IS NULL OR owner_key = ?2)";

/** Keeps artifacts in a store's file. */
export class SqliteArtifacts implements ArtifactStore {
  readonly #connection: Connection;
  readonly #now: () => Date;

  /** Uses a connection that somebody else owns. */
  constructor(connection: Connection, now: () => Date) {
    this.#connection = connection;
    this.#now = now;
  }

  /** Saves a version, creating the session if need be. */
  // deno-lint-ignore require-await -- a bad argument is to reject, not to throw
  async save(owner: ArtifactOwner, artifact: NewArtifact): Promise<ArtifactInfo> {
    const key = ownerKey(owner, "an artifact");
    const { content, ...kept } = checkedArtifact(artifact);
    return this.#connection.write("save an artifact", () => {
      const now = this.#now().getTime();
      const session = toColumn(kept.sessionId);
      touchSession(this.#connection, session, { now });
      const owned = toColumn(key);
      const name = [session, owned, toColumn(kept.filename)] as const;
      const [artifactKey, version, id, createdAt] = this.#row(NEXT_VERSION, ...name) ??
        this.#make(name, now);
      this.#connection.statement(PUT).run(
        Number(artifactKey),
        Number(version),
        toColumn(kept.title),
        kept.type,
        kept.bytes,
        now,
        toColumn(content),
      );
      this.#connection.statement(DROP).run(
        Number(artifactKey),
        Number(version) - MAX_ARTIFACT_VERSIONS,
      );
      const bytes = Number(this.#row(BYTES, session, owned)?.[0]);
      if (bytes > MAX_SESSION_ARTIFACT_BYTES) throw artifactsTooLarge(bytes);
      return {
        id: textOf(id),
        owner: ownerOfKey(key),
        ...kept,
        version: Number(version),
        createdAt: new Date(Number(createdAt)),
        savedAt: new Date(now),
      };
    });
  }

  /** The newest version of each artifact, the last saved first. */
  // deno-lint-ignore require-await -- see save
  async list(
    access: ArtifactAccess,
    options: { readonly sessionId?: string; readonly limit?: number } = {},
  ): Promise<ArtifactInfo[]> {
    const key = accessKey(access);
    const limit = Math.min(checkedListLimit(options.limit), Number.MAX_SAFE_INTEGER);
    const { sessionId } = options;
    const session = sessionId === undefined ? undefined : checkedSessionId(sessionId);
    // What is not asked for does not stand in the statement: with "OR" in it no index would be used.
    const sql = [
      LIST,
      ...(session === undefined ? [] : ["AND session_id = ?"]),
      ...(key === undefined ? [] : ["AND owner_key = ?"]),
      NEWEST_FIRST,
    ].join(" ");
    const values = [session, key].flatMap((value) => value === undefined ? [] : toColumn(value));
    return this.#connection.read("list artifacts", () => {
      return this.#connection.rows(sql, ...values, limit).map(infoOf);
    });
  }

  /** One version, or the newest. */
  // deno-lint-ignore require-await -- see save
  async read(
    access: ArtifactAccess,
    id: string,
    options: { readonly version?: number } = {},
  ): Promise<Artifact | undefined> {
    const key = toOptionalColumn(accessKey(access));
    const checkedId = toColumn(checkedArtifactId(id));
    const version = checkedArtifactVersion(options.version) ?? null;
    return this.#connection.read("read an artifact", () => {
      const row = this.#row(READ, checkedId, key, version);
      return row === undefined ? undefined : { ...infoOf(row), content: textOf(row[10]) };
    });
  }

  /** Removes an artifact, its bytes in the file too; false when there is none of this id. */
  // deno-lint-ignore require-await -- see save
  async remove(access: ArtifactAccess, id: string): Promise<boolean> {
    const key = toOptionalColumn(accessKey(access));
    const checkedId = toColumn(checkedArtifactId(id));
    return this.#connection.write("remove an artifact", () => {
      return Number(this.#connection.statement(REMOVE).run(checkedId, key).changes) > 0;
    });
  }

  #make(name: readonly [SQLInputValue, SQLInputValue, SQLInputValue], now: number) {
    const [session, owned] = name;
    if (Number(this.#row(COUNT, session, owned)?.[0]) >= MAX_SESSION_ARTIFACTS) {
      throw tooManyArtifacts();
    }
    return this.#row(MAKE, newArtifactId(), ...name, now) ?? [];
  }

  #row(sql: string, ...values: SQLInputValue[]): SQLOutputValue[] | undefined {
    return this.#connection.rows(sql, ...values)[0];
  }
}

function infoOf(columns: readonly SQLOutputValue[]): ArtifactInfo {
  return {
    id: textOf(columns[0]),
    owner: ownerOfKey(textOf(columns[1])),
    sessionId: textOf(columns[2]),
    filename: textOf(columns[3]),
    createdAt: new Date(Number(columns[4])),
    version: Number(columns[5]),
    title: textOf(columns[6]),
    type: textOf(columns[7]),
    bytes: Number(columns[8]),
    savedAt: new Date(Number(columns[9])),
  };
}
