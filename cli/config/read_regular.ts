/**
 * Reads a config file whole, if it is a regular file of a sensible size.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { reasonOf } from "../text_input.ts";
import { configError } from "./config_error.ts";

/** Bytes of a config file at most: 64 KiB, some hundred times what one with every key takes. */
export const MAX_CONFIG_BYTES = 64 * 1024;

/**
 * Reads the file at a real path.
 *
 * @throws {CliError} `usage` for anything else, and for a file that is too large.
 */
export function readRegular(path: string): Uint8Array {
  const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;
  let file: number;
  try {
    // A pipe in its place must not block.
    file = openSync(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  } catch (error) {
    throw configError(path, `it cannot be read: ${reasonOf(error)}`);
  }
  try {
    if (!fstatSync(file).isFile()) throw configError(path, "it is no regular file");
    const bytes = new Uint8Array(MAX_CONFIG_BYTES + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(file, bytes, length, bytes.length - length, length);
    }
    if (length > MAX_CONFIG_BYTES) {
      throw configError(path, `it is larger than ${MAX_CONFIG_BYTES} bytes`);
    }
    return bytes.slice(0, length);
  } finally {
    closeSync(file);
  }
}
