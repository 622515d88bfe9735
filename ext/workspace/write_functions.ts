/** The functions that change files. Both show what they would do, and neither leaves a file half written. */
import type { Stats } from "node:fs";
import type { JsonValue } from "../../contracts/json.ts";
import type { HostFunction } from "../../contracts/sandbox.ts";
import { writeWhole } from "./atomic_write.ts";
import { textAt } from "./call_arguments.ts";
import type { Confinement, Place } from "./confinement.ts";
import { type EditedText, editText } from "./edit_text.ts";
import { openRegular } from "./open_file.ts";
import { decodeText, readBytes } from "./read_file.ts";
import { targetOf } from "./read_functions.ts";
import { unifiedDiff } from "./unified_diff.ts";

/** Bytes of a file that can be edited, and of an old one that a preview compares. */
const MAX_EDITED_BYTES = 16 * 1024 * 1024;

/** A text with what tells whether its file is still the same. */
interface ReadText {
  readonly text: string;
  readonly from: Stats;
}

/** `writeFile` and `editFile`. Their work is done one call after another, so that two edits of one file do not undo each other. */
export function writeFunctions(within: Confinement): readonly HostFunction[] {
  const inTurn = createTurns();
  return [writeFileFunction(within, inTurn), editFileFunction(within, inTurn)];
}

type Turns = <T>(work: () => Promise<T>) => Promise<T>;

function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
}

function writeFileFunction(within: Confinement, inTurn: Turns): HostFunction {
  const read = async (args: readonly JsonValue[]) => {
    const call = { name: "writeFile", args };
    const path = textAt(call, 0, "the path");
    const text = textAt(call, 1, "the text");
    return { place: await within.locate(path), text };
  };
  return {
    name: "writeFile",
    sideEffect: true,
    target: ([path]) => targetOf(path),
    execute: (args) =>
      inTurn(async () => {
        const { place, text } = await read(args);
        const bytes = new TextEncoder().encode(text);
        const created = await writeWhole(within, place, { bytes });
        return { bytes: bytes.length, created };
      }),
    async preview(args) {
      const { place, text } = await read(args);
      const path = place.names.join("/");
      if (place.existing < place.names.length) {
        return await unifiedDiff({ path, before: undefined, after: text });
      }
      await using handle = await openRegular(within, place);
      const { size } = await handle.stat();
      const before = size > MAX_EDITED_BYTES
        ? undefined
        : decodeText(await readBytes(handle, { shown: place.shown, maxBytes: MAX_EDITED_BYTES }));
      if (before !== undefined) return await unifiedDiff({ path, before, after: text });
      return `${path}: replaces ${size} bytes that are binary or too many to compare by ${text.length} characters`;
    },
  };
}

function editFileFunction(within: Confinement, inTurn: Turns): HostFunction {
  const read = async (
    args: readonly JsonValue[],
  ): Promise<{ place: Place; old: ReadText; edited: EditedText }> => {
    const call = { name: "editFile", args };
    const path = textAt(call, 0, "the path");
    const edit = { target: textAt(call, 1, "target"), replacement: textAt(call, 2, "replacement") };
    const place = await within.locate(path);
    const old = await readText(within, place);
    return { place, old, edited: editText(old.text, edit, place.shown) };
  };
  return {
    name: "editFile",
    sideEffect: true,
    target: ([path]) => targetOf(path),
    execute: (args) =>
      inTurn(async () => {
        const { place, old, edited } = await read(args);
        const bytes = new TextEncoder().encode(edited.text);
        await writeWhole(within, place, { bytes, from: old.from });
        return { line: edited.line };
      }),
    async preview(args) {
      const { place, old, edited } = await read(args);
      const path = place.names.join("/");
      return await unifiedDiff({ path, before: old.text, after: edited.text });
    },
  };
}

async function readText(within: Confinement, place: Place): Promise<ReadText> {
  const { shown } = place;
  await using handle = await openRegular(within, place);
  const from = await handle.stat();
  const bytes = await readBytes(handle, { shown, maxBytes: MAX_EDITED_BYTES });
  const text = decodeText(bytes);
  if (text === undefined) throw new Error(`${shown} is binary; only text can be edited`);
  return { text, from };
}
