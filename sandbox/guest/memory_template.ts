/**
 * The memory of a realm that has run nothing yet, kept so that it can be laid into another instance or back into a used one:
 * a fresh realm at the price of a copy. Where the engine's heap begins and ends is found by watching an allocation; a build in which that
 * cannot be told gets a new instance for every script instead.
 */
import type { Engine, EngineInstance } from "./engine.ts";

/** Where things lie in an instance's memory, in bytes. */
export interface MemoryLayout {
  /** Static data and the stack, which grows down, lie below. */
  readonly heapBase: number;
  /** Where the engine keeps the end of what it has taken for its heap. */
  readonly heapEndAt: number;
}

/** A part of a memory. */
export interface MemoryPiece {
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** A memory to start from. */
export interface MemoryTemplate {
  readonly layout: MemoryLayout;
  readonly byteLength: number;
  /** The static data, and the heap. */
  readonly pieces: readonly [MemoryPiece, MemoryPiece];
}

/** The build's static data takes 88 KiB at the start of the memory; the stack follows. */
const STATIC_BYTES = 128 * 1024;
/** An allocation that no free block of a fresh heap can serve. */
const PROBE_BYTES = 4 * 1024 * 1024;
/** The stack limit is at most 128 KiB; the engine's own C code adds a few KiB to it. */
const STACK_BYTES = 160 * 1024;

/** Finds the layout with an instance that is then dropped; `undefined` when it cannot be told. */
export async function measureLayout(engine: Engine): Promise<MemoryLayout | undefined> {
  const { memory, exports } = await engine.createInstance(2 * PROBE_BYTES);
  const before = new Uint32Array(memory.buffer.slice(0, STATIC_BYTES));
  const block = exports.malloc(PROBE_BYTES);
  if (block < STATIC_BYTES) return undefined;
  const after = new Uint32Array(memory.buffer, 0, before.length);
  const { byteLength } = memory.buffer;
  let heapBase = 0;
  let heapEndAt: number | undefined;
  let heapEnd = block + PROBE_BYTES;
  for (let word = 0; word < before.length; word++) {
    const from = before[word]!;
    const to = after[word]!;
    const points = from > STATIC_BYTES && from < block + PROBE_BYTES;
    if (!points || to < block + PROBE_BYTES || to > byteLength) continue;
    // Words that moved past the block: where free room begins is one, the end of all that was taken lies behind it.
    if (from <= block) heapBase = Math.max(heapBase, from);
    if (to < heapEnd) continue;
    heapEndAt = word * 4;
    heapEnd = to;
  }
  return heapBase === 0 || heapEndAt === undefined ? undefined : { heapBase, heapEndAt };
}

/** Keeps what is in a memory now: the static data and the heap. The stack holds nothing that lives on. */
export function takeTemplate(memory: WebAssembly.Memory, layout: MemoryLayout): MemoryTemplate {
  const bytes = new Uint8Array(memory.buffer);
  const heapEnd = new Uint32Array(memory.buffer)[layout.heapEndAt / 4]!;
  return {
    layout,
    byteLength: bytes.length,
    pieces: [
      { at: 0, bytes: bytes.slice(0, STATIC_BYTES) },
      { at: layout.heapBase, bytes: bytes.slice(layout.heapBase, heapEnd) },
    ],
  };
}

/** Lays a template into the memory of a new instance. What is zero there is left alone: it takes no room until it is written to. */
export function layIntoNew(instance: EngineInstance, template: MemoryTemplate): boolean {
  const { buffer } = instance.memory;
  if (buffer.byteLength !== template.byteLength) return false;
  layPieces(new Uint8Array(buffer), template);
  return true;
}

function layPieces(bytes: Uint8Array, template: MemoryTemplate): void {
  for (const piece of template.pieces) bytes.set(piece.bytes, piece.at);
}

/**
 * Lays a template into a used memory, wiping what a script left. False when the memory has grown since: it cannot shrink, so the instance
 * is to be dropped.
 */
export function layTemplate(instance: EngineInstance, template: MemoryTemplate): boolean {
  const { buffer } = instance.memory;
  if (buffer.byteLength !== template.byteLength || instance.memoryRanOut) return false;
  const { heapBase, heapEndAt } = template.layout;
  const bytes = new Uint8Array(buffer);
  const heapEnd = new Uint32Array(buffer)[heapEndAt / 4]!;
  if (heapEnd < heapBase || heapEnd > bytes.length) return false;
  bytes.fill(0, heapBase - STACK_BYTES, heapBase);
  layPieces(bytes, template);
  const { at, bytes: heap } = template.pieces[1];
  if (heapEnd > at + heap.length) bytes.fill(0, at + heap.length, heapEnd);
  return true;
}
