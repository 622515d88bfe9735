/**
 * The token that clients show: where it comes from, and whether a request has it. It stands in a variable, in a file that only its owner can read, or is told once;
 * it is never part of an address and never written anywhere else.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { readVariable } from "../environment.ts";
import { CliError } from "../failure.ts";
import { requirePermissions } from "../permission.ts";
import { oneLine } from "../terminal_text.ts";
import { reasonOf } from "../text_input.ts";
import { dirname } from "node:path";

/** The variable that may hold it. */
export const TOKEN_VARIABLE = "AGENTLOOP_TOKEN";

/** Characters of a token at least: 16 of 64 letters are 96 bits, which nobody guesses over a network. */
const LEAST_LENGTH = 16;
/** Bytes of chance in a token that is made here. */
const MADE_BYTES = 32;

/** A token and where it comes from. */
export interface ServeToken {
  /** The token. */
  readonly value: string;
  /** The variable; the file, by its path; or nowhere, so that it has to be told. */
  readonly from: "variable" | "made" | { readonly file: string };
}

/**
 * The token of this server: that of the variable, else the one in the file beside the database, which is made when it is not there. Without a database one is made that
 * lives as long as the server.
 *
 * @throws {CliError} `config` for a variable or a file that cannot be used, `permission` where the runtime does not permit the file.
 */
export function openToken(databasePath: string | undefined): ServeToken {
  const given = readVariable(TOKEN_VARIABLE);
  if (given !== undefined) {
    return { value: checked(given, `$${TOKEN_VARIABLE}`), from: "variable" };
  }
  if (databasePath === undefined) return { value: makeToken(), from: "made" };
  const file = `${databasePath}.token`;
  requirePermissions(
    ["read", "write"].map((name) => ({
      name: name as "read" | "write",
      path: dirname(file),
    })),
    {
      problem: `The token cannot be kept in ${oneLine(file, 200)}`,
      otherwise: `set ${TOKEN_VARIABLE} and permit to read it with --allow-env=${TOKEN_VARIABLE}`,
    },
  );
  return { value: readFile(file) ?? makeFile(file), from: { file } };
}

/** Whether a header `Authorization: Bearer TOKEN` shows the token. Takes the same time whatever it holds. */
export function showsToken(authorization: string | null, token: string): boolean {
  const [, shown = ""] = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization ?? "") ?? [];
  return timingSafeEqual(digest(shown), digest(token));
}

function digest(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}

function makeToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(MADE_BYTES));
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

function checked(token: string, where: string): string {
  if (/^[\x21-\x7e]+$/.test(token) && token.length >= LEAST_LENGTH) return token;
  throw new CliError(
    "config",
    `The token in ${where} cannot be used: it takes at least ${LEAST_LENGTH} letters, digits and signs, without blanks.`,
    { hint: "openssl rand -hex 32 makes one." },
  );
}

function readFile(file: string): string | undefined {
  const shown = oneLine(file, 200);
  let info: Deno.FileInfo;
  try {
    info = Deno.lstatSync(file);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw unusable(shown, reasonOf(error), error);
  }
  if (!info.isFile) throw unusable(shown, "it is no file of its own.");
  if (info.mode !== null && (info.mode & 0o077) !== 0) {
    throw new CliError("config", `The token in ${shown} can be read by others.`, {
      hint: "Remove the file, so that a new one is made; whoever read it has the old token.",
    });
  }
  try {
    return checked(Deno.readTextFileSync(file).trim(), shown);
  } catch (error) {
    throw error instanceof CliError ? error : unusable(shown, reasonOf(error), error);
  }
}

/** Written whole under another name first: a server that starts at the same time finds all of it or nothing. */
function makeFile(file: string): string {
  const token = makeToken();
  const whole = `${file}.${crypto.randomUUID()}`;
  try {
    Deno.mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    Deno.writeTextFileSync(whole, `${token}\n`, { createNew: true, mode: 0o600 });
    try {
      Deno.linkSync(whole, file);
      return token;
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    } finally {
      Deno.removeSync(whole);
    }
  } catch (error) {
    throw unusable(oneLine(file, 200), reasonOf(error), error);
  }
  return readFile(file) ?? makeFile(file);
}

function unusable(shown: string, reason: string, cause?: unknown): CliError {
  return new CliError("config", `The token cannot be kept in ${shown}: ${reason}`, {
    cause,
    hint: `Set ${TOKEN_VARIABLE}, or name another place with --db.`,
  });
}
