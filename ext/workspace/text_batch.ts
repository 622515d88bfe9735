/**
 * Reads files one after the other into one buffer, without giving up the thread. They are taken by the names that a walk found, and count only
 * when their folders stood still since they were listed: then what lies there under a name is still the regular file that it was.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import type { Confinement } from "./confinement.ts";
import type { TextBatch } from "./match_lines.ts";
import { READ_FLAGS } from "./open_file.ts";
import { isUnchanged, StandingWay } from "./standing_way.ts";
import type { FileRun } from "./walk.ts";

/** Bytes of a file that is searched; larger ones are counted as skipped. */
export const MAX_SEARCHED_BYTES: number = 16 * 1024 * 1024;

/** Bytes of the buffer, if no file is larger. */
const BUFFER_BYTES = 1024 * 1024;

/** Bytes after which a batch is full. */
const FULL_BYTES = BUFFER_BYTES - 64 * 1024;

/** The least that a page has. */
const PAGE_BYTES = 4096;

/** Files after which a batch is full: so many are opened in a few milliseconds. */
const FULL_FILES = 400;

/** Windows opens links and pipes whatever one asks for: there, each file is opened with all care. */
const OPENS_SAFELY = constants.O_NOFOLLOW !== undefined && constants.O_NONBLOCK !== undefined;

/** A file of a batch. */
export interface BatchedFile {
  /** Its names from the root. */
  readonly names: readonly string[];
  /** Its size is beyond what is searched. */
  readonly tooLarge?: boolean;
}

/** Files that are searched together. */
export class FileBatch implements TextBatch {
  readonly #within: Confinement;
  readonly #way: StandingWay;
  readonly #files: BatchedFile[] = [];
  readonly #ends: number[] = [];
  #bytes: Uint8Array<ArrayBuffer>;
  #length = 0;
  #isSafe = OPENS_SAFELY;

  /** @param within Where the files are. */
  constructor(within: Confinement, buffer: Uint8Array<ArrayBuffer> = new Uint8Array(BUFFER_BYTES)) {
    this.#within = within;
    this.#way = new StandingWay(within);
    this.#bytes = buffer;
  }

  /** The texts. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes;
  }

  /** Where each text ends. */
  get ends(): readonly number[] {
    return this.#ends;
  }

  /** The files, one for each text. */
  get files(): readonly BatchedFile[] {
    return this.#files;
  }

  /** Whether it should be searched before anything is added. */
  get isFull(): boolean {
    return this.#length >= FULL_BYTES || this.#files.length >= FULL_FILES;
  }

  /** An empty batch. The texts of this one are gone with its first file. */
  next(): FileBatch {
    return new FileBatch(
      this.#within,
      this.#bytes.length === BUFFER_BYTES ? this.#bytes : undefined,
    );
  }

  /** Reads files of a folder, from one on, until the batch is full. Returns the next one. */
  addRun({ folder, stage, files }: FileRun, from: number): number {
    const isSame = this.#isSafe && this.#enter(folder, stage);
    const path = this.#within.full(folder);
    let at = from;
    for (; at < files.length && !this.isFull; at++) {
      const names = [...folder, files[at] ?? ""];
      this.#add({ names }, isSame ? this.#read(`${path}/${files[at]}`) : undefined);
    }
    return at;
  }

  /** Adds a file whose bytes are known, or one that is too large. */
  add(names: readonly string[], content: Uint8Array | "large"): void {
    if (content === "large") return this.#add({ names, tooLarge: true }, 0);
    this.#makeRoom(content.length);
    this.#bytes.set(content, this.#length);
    this.#add({ names }, content.length);
  }

  /** Whether what was read by names is what lay in the folders when they were listed. To be asked once, after the last file. */
  stoodStill(): boolean {
    return this.#isSafe && this.#way.stoodStill();
  }

  #enter(folder: FileRun["folder"], stage: FileRun["stage"]): boolean {
    try {
      const now = this.#way.enter(folder, { contents: true });
      this.#isSafe = !stage.fresh && isUnchanged(now, stage);
    } catch {
      this.#isSafe = false;
    }
    return this.#isSafe;
  }

  #add(file: BatchedFile, length: number | "large" | undefined): void {
    const isText = typeof length === "number";
    this.#files.push(length === "large" ? { ...file, tooLarge: true } : file);
    this.#length += isText ? length : 0;
    this.#ends.push(this.#length);
  }

  /** Reads a file behind the others; nothing when it went away or may not be read, which is no reason to give up on the others. */
  #read(path: string): number | "large" | undefined {
    let file: number | undefined;
    try {
      file = openSync(path, READ_FLAGS);
      for (let length = 0;;) {
        const at = this.#length + length;
        if (at === this.#bytes.length) {
          if (fstatSync(file).size > MAX_SEARCHED_BYTES) return "large";
          this.#makeRoom(2 * length + BUFFER_BYTES);
        }
        const room = this.#bytes.length - at;
        const read = readSync(file, this.#bytes, at, room, null);
        length += read;
        if (length > MAX_SEARCHED_BYTES) return "large";
        // Files are read in whole pages: one that ends within a page has come to its end, and need not be asked once more.
        if (read === 0 || (read < room && length % PAGE_BYTES !== 0)) return length;
      }
    } catch {
      return undefined;
    } finally {
      if (file !== undefined) closeSync(file);
    }
  }

  #makeRoom(length: number): void {
    if (this.#length + length <= this.#bytes.length) return;
    const larger = new Uint8Array(this.#length + length);
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}
