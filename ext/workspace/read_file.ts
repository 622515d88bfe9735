/** Reads files of the workspace with a bound on what is held: whole, or some of their lines. */
import { Buffer } from "node:buffer";
import type { FileHandle } from "node:fs/promises";

/** Bytes that are read at a time. */
const CHUNK_BYTES = 65_536;

/** Bytes at the beginning of a file that are searched for a NUL. */
export const SNIFFED_BYTES = 8_000;

/** What of a file to read. */
export interface ReadRequest {
  /** The path as errors show it. */
  readonly shown: string;
  /** Bytes that may be returned. */
  readonly maxBytes: number;
  /** First line, from 1. @default 1 */
  readonly from?: number;
  /** Last line. @default the last one of the file */
  readonly to?: number;
  /** Return the bytes in base64; text must be UTF-8. @default false */
  readonly base64?: boolean;
}

/** The text that was asked for, with its line endings and its byte order mark as they are. Rejects when it is too large or no text. */
export async function readRequested(handle: FileHandle, request: ReadRequest): Promise<string> {
  const { shown, base64 = false } = request;
  const ranged = request.from !== undefined || request.to !== undefined;
  const { size } = await handle.stat();
  const bytes = ranged ? await readLines(handle, request) : await readBytes(handle, request);
  if (base64) return Buffer.from(bytes.buffer).toString("base64");
  const text = decodeText(bytes);
  if (text !== undefined) return text;
  throw new Error(`${shown} is binary (${size} bytes); use encoding: "base64"`);
}

/** All bytes of a file. Rejects when they are more than the bound. */
export async function readBytes(
  handle: FileHandle,
  { shown, maxBytes }: Pick<ReadRequest, "shown" | "maxBytes">,
): Promise<Uint8Array> {
  const { size } = await handle.stat();
  if (size > maxBytes) throw tooLarge(shown, `${size} bytes`, maxBytes);
  // A file that grows meanwhile, or whose size is not told beforehand, is held to the bound too.
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunksOf(handle)) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge(shown, "more", maxBytes);
    parts.push(chunk);
  }
  return joined(parts, length);
}

/** The text of bytes, or nothing when they are binary: not UTF-8, or with a NUL near the beginning. */
export function decodeText(bytes: Uint8Array): string | undefined {
  if (bytes.subarray(0, SNIFFED_BYTES).includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

async function readLines(handle: FileHandle, request: ReadRequest): Promise<Uint8Array> {
  const { shown, maxBytes, from = 1, to = Number.MAX_SAFE_INTEGER } = request;
  const parts: Uint8Array[] = [];
  let line = 1;
  let length = 0;
  for await (const chunk of chunksOf(handle)) {
    let start = line >= from ? 0 : -1;
    let end = chunk.length;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) {
      line++;
      if (line === from) start = at + 1;
      if (line > to) {
        end = at + 1;
        break;
      }
    }
    if (start !== -1 && start < end) {
      length += end - start;
      if (length > maxBytes) throw tooLarge(shown, `more in lines ${from} to ${to}`, maxBytes);
      parts.push(chunk.slice(start, end));
    }
    if (line > to) break;
  }
  if (line < from) throw new Error(`${shown} has ${line} lines; from is ${from}`);
  return joined(parts, length);
}

async function* chunksOf(handle: FileHandle): AsyncGenerator<Uint8Array> {
  for (let at = 0;;) {
    const buffer = new Uint8Array(CHUNK_BYTES);
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function tooLarge(shown: string, size: string, maxBytes: number): Error {
  return new Error(
    `${shown} has ${size}; the limit is ${maxBytes} bytes. Read some lines ({ from, to }) or grep it`,
  );
}
