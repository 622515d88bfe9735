/** The functions that only read: free of consequences, and so free of questions. */
import { lstatSync } from "node:fs";
import type { HostFunction } from "../../contracts/sandbox.ts";
import { isSet, optionsAt, textAt, textOption, wholeNumber } from "./call_arguments.ts";
import type { Confinement } from "./confinement.ts";
import { findFiles } from "./find_files.ts";
import { listFolder, openRegular } from "./open_file.ts";
import { readNames, shownPath } from "./path_rules.ts";
import { readRequested } from "./read_file.ts";
import { searchFiles } from "./search_files.ts";

/** Lines that a search returns unless it says otherwise, and at most. */
const MATCHES = { usual: 100, most: 2_000 };

/** Lines of context at most. */
const MAX_CONTEXT = 20;

/** Entries of a folder that are listed. */
const MAX_ENTRIES = 10_000;

/** Limits of the functions that read. */
export interface ReadLimits {
  /** Bytes that one read returns. */
  readonly maxReadBytes: number;
  /** Time for matching of one call, in ms. */
  readonly matchTimeoutMs: number;
}

/** `readFile`, `listDir`, `glob` and `grep`. */
export function readFunctions(within: Confinement, limits: ReadLimits): readonly HostFunction[] {
  return [
    readFileFunction(within, limits),
    listDirFunction(within),
    globFunction(within, limits),
    grepFunction(within, limits),
  ];
}

function readFileFunction(within: Confinement, { maxReadBytes }: ReadLimits): HostFunction {
  return {
    name: "readFile",
    target: ([path]) => targetOf(path),
    async execute(args) {
      const call = { name: "readFile", args };
      const path = textAt(call, 0, "the path");
      const options = optionsAt(call, 1, ["from", "to", "encoding", "maxBytes"]);
      const from = wholeNumber(options, "from", { least: 1 });
      const to = wholeNumber(options, "to", { least: from ?? 1 });
      const encoding = textOption(options, "encoding") ?? "utf-8";
      if (!["utf-8", "utf8", "base64"].includes(encoding)) {
        throw new TypeError(`encoding must be "utf-8" or "base64", not ${shownPath(encoding)}`);
      }
      const wanted = wholeNumber(options, "maxBytes", { least: 1 }) ?? maxReadBytes;
      const place = await within.locate(path);
      await using handle = await openRegular(within, place);
      return await readRequested(handle, {
        shown: place.shown,
        maxBytes: Math.min(wanted, maxReadBytes),
        from,
        to,
        base64: encoding === "base64",
      });
    },
  };
}

function listDirFunction(within: Confinement): HostFunction {
  return {
    name: "listDir",
    target: ([path]) => targetOf(path ?? "."),
    async execute([path]) {
      const place = await within.locate(path ?? ".");
      const entries = await listFolder(within, place);
      if (entries.length <= MAX_ENTRIES) return entries;
      throw new Error(
        `${place.shown} holds ${entries.length} entries; the limit is ${MAX_ENTRIES}: use glob`,
      );
    },
  };
}

function globFunction(within: Confinement, { matchTimeoutMs }: ReadLimits): HostFunction {
  return {
    name: "glob",
    async execute(args, { signal }) {
      const call = { name: "glob", args };
      const pattern = textAt(call, 0, "the pattern");
      const options = optionsAt(call, 1, ["all"]);
      return await findFiles(within, pattern, {
        all: isSet(options, "all"),
        timeoutMs: matchTimeoutMs,
        signal,
      });
    },
  };
}

function grepFunction(within: Confinement, { matchTimeoutMs }: ReadLimits): HostFunction {
  return {
    name: "grep",
    async execute(args, { signal }) {
      const call = { name: "grep", args };
      const pattern = textAt(call, 0, "the pattern");
      const options = optionsAt(call, 1, [
        "literal",
        "path",
        "glob",
        "context",
        "max",
        "ignoreCase",
        "all",
      ]);
      if (pattern === "") throw new TypeError("grep: the pattern is empty");
      const start = await within.locate(textOption(options, "path") ?? ".");
      const info = lstatSync(within.full(start.names), { throwIfNoEntry: false });
      return await searchFiles(within, { pattern, start, isFile: info?.isFile() === true }, {
        literal: isSet(options, "literal"),
        ignoreCase: isSet(options, "ignoreCase"),
        all: isSet(options, "all"),
        glob: textOption(options, "glob"),
        context: wholeNumber(options, "context", { least: 0, most: MAX_CONTEXT }) ?? 0,
        max: wholeNumber(options, "max", { least: 1, most: MATCHES.most }) ?? MATCHES.usual,
        timeoutMs: matchTimeoutMs,
        signal,
      });
    },
  };
}

/** A path as a policy sees it: from the root, without `.` and doubled slashes. */
export function targetOf(path: unknown): string {
  return readNames(path).join("/") || ".";
}
