/**
 * What goes wrong with a database file, in this project's words. Pure: reads errors, touches no file.
 * The runtime gives some of SQLite's errors a result code and others only SQLite's own fixed text, so both are read.
 */
import { AgentLoopError } from "../../contracts/errors.ts";

/** The kinds of failure that are told apart; `other` is the rest. */
export type SqliteFailure =
  | "locked"
  | "corrupt"
  | "not_a_database"
  | "read_only"
  | "full"
  | "cannot_open"
  | "permission"
  | "range"
  | "constraint"
  | "other";

/** Primary result codes, https://www.sqlite.org/rescode.html */
const BY_CODE: ReadonlyMap<number, SqliteFailure> = new Map([
  [5, "locked"],
  [6, "locked"],
  [8, "read_only"],
  [11, "corrupt"],
  [13, "full"],
  [14, "cannot_open"],
  [15, "locked"],
  [19, "constraint"],
  [26, "not_a_database"],
]);

/** The texts that sqlite3_errstr has for the same codes. */
const BY_TEXT: ReadonlyArray<readonly [RegExp, SqliteFailure]> = [
  [/database (table |schema )?is locked|locking protocol/, "locked"],
  [/readonly database/, "read_only"],
  [/disk image is malformed|malformed database schema/, "corrupt"],
  [/disk is full/, "full"],
  [/unable to open database file/, "cannot_open"],
  [/file is not a database/, "not_a_database"],
  [/constraint failed/, "constraint"],
];

/** Which kind of failure an error of `node:sqlite` is. */
export function sqliteFailure(error: unknown): SqliteFailure {
  if (!(error instanceof Error)) return "other";
  if (error.name === "NotCapable" || error.name === "PermissionDenied") return "permission";
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  if (code === "ERR_OUT_OF_RANGE") return "range";
  if (typeof errcode === "number") {
    const kind = BY_CODE.get(errcode & 0xff);
    if (kind !== undefined) return kind;
  }
  return BY_TEXT.find(([text]) => text.test(error.message))?.[1] ?? "other";
}

/**
 * The error that a caller of the store gets: mistakes of the caller and errors of our own pass through.
 *
 * @param doing What was being done, as in "append a step".
 */
export function storeError(error: unknown, doing: string, path: string): Error {
  if (
    error instanceof AgentLoopError || error instanceof TypeError ||
    (error instanceof RangeError && sqliteFailure(error) !== "range")
  ) return error;
  const start = `Could not ${doing} in ${path}:`;
  switch (sqliteFailure(error)) {
    case "range":
      return new RangeError(
        `${start} it holds a number beyond 2^53 − 1, which cannot be read exactly.`,
        { cause: error },
      );
    case "locked":
      return failed(
        "store_locked",
        `${start} another process kept the database locked. Try again, or end the process that holds it.`,
        error,
      );
    case "corrupt":
      return failed(
        "store_corrupt",
        `${start} the file is damaged. Nothing was changed. Put a backup in its place, or move it away and start a new one.`,
        error,
      );
    case "not_a_database":
      return failed(
        "store_foreign",
        `${start} it is not a database. It was left as it is. Name another file; if this one was a store before, it is damaged: put a backup in its place.`,
        error,
      );
    case "read_only":
      return failed(
        "store_failed",
        `${start} the file or its folder cannot be written. Change its permissions, or name another file.`,
        error,
      );
    case "full":
      return failed(
        "store_failed",
        `${start} the disk is full. Free some room and try again.`,
        error,
      );
    case "cannot_open":
      return failed(
        "store_failed",
        `${start} the file cannot be opened. Check that its folder is there and may be read and written, or name another file.`,
        error,
      );
    case "permission":
      return failed(
        "store_failed",
        `${start} permission was denied. Grant the program --allow-read and --allow-write for the file's folder, and the user access to it.`,
        error,
      );
    case "constraint":
    case "other":
      return failed("store_failed", `${start} ${messageOf(error)}.`, error);
  }
}

function failed(
  code: "store_locked" | "store_corrupt" | "store_foreign" | "store_failed",
  message: string,
  cause: unknown,
): AgentLoopError {
  return new AgentLoopError(message, { code, cause });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
