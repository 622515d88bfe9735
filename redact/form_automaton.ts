/**
 * Finds many byte strings in one pass, however often they begin, overlap or contain each other (Aho and Corasick's automaton).
 * Built once and never changed; who walks it keeps a node number, beginning with {@linkcode ROOT}.
 */

/** Where a walk begins: nothing matched so far. */
export const ROOT = 0;

const BYTES = 256;

/** A byte string to find. */
export interface Form {
  /** What to find; not empty. */
  readonly bytes: Uint8Array;
  /** What it is a form of. Of equal forms, the smallest number counts. */
  readonly secret: number;
}

/** The automaton: a tree of the forms' beginnings, in which each node knows the longest other beginning that it ends with. */
export class FormAutomaton {
  /** Bytes of the longest form; 0 when there is none. */
  readonly longest: number;
  readonly #roots: Int32Array;
  readonly #byte: Uint8Array;
  readonly #firstChild: Int32Array;
  readonly #nextSibling: Int32Array;
  readonly #shorter: Int32Array;
  readonly #depth: Int32Array;
  readonly #matchLength: Int32Array;
  readonly #matchSecret: Int32Array;
  #size = 1;

  /** Builds the automaton, in time and memory in proportion to the forms' bytes. */
  constructor(forms: readonly Form[]) {
    const most = 1 + forms.reduce((sum, { bytes }) => sum + bytes.length, 0);
    this.longest = forms.reduce((longest, { bytes }) => Math.max(longest, bytes.length), 0);
    this.#roots = new Int32Array(BYTES);
    this.#byte = new Uint8Array(most);
    this.#firstChild = new Int32Array(most);
    this.#nextSibling = new Int32Array(most);
    this.#shorter = new Int32Array(most);
    this.#depth = new Int32Array(most);
    this.#matchLength = new Int32Array(most);
    this.#matchSecret = new Int32Array(most);
    for (const form of forms) this.#insert(form);
    this.#link();
  }

  /** Where one more byte leads. */
  step(node: number, byte: number): number {
    let from = node;
    while (from !== ROOT) {
      const child = this.#child(from, byte);
      if (child !== ROOT) return child;
      from = this.#shorter[from]!;
    }
    return this.#roots[byte]!;
  }

  /** How many of the last bytes are the beginning of a form. */
  depth(node: number): number {
    return this.#depth[node]!;
  }

  /** Bytes of the longest form that ends here; 0 when none does. */
  matchLength(node: number): number {
    return this.#matchLength[node]!;
  }

  /** What that form is a form of. */
  matchSecret(node: number): number {
    return this.#matchSecret[node]!;
  }

  #child(node: number, byte: number): number {
    let child = this.#firstChild[node]!;
    while (child !== ROOT && this.#byte[child] !== byte) child = this.#nextSibling[child]!;
    return child;
  }

  #insert({ bytes, secret }: Form): void {
    let node = ROOT;
    for (const byte of bytes) {
      let child = node === ROOT ? this.#roots[byte]! : this.#child(node, byte);
      if (child === ROOT) {
        child = this.#size++;
        this.#byte[child] = byte;
        this.#depth[child] = this.#depth[node]! + 1;
        this.#nextSibling[child] = this.#firstChild[node]!;
        this.#firstChild[node] = child;
        if (node === ROOT) this.#roots[byte] = child;
      }
      node = child;
    }
    const isKnown = this.#matchLength[node] !== 0;
    if (isKnown && this.#matchSecret[node]! <= secret) return;
    this.#matchLength[node] = bytes.length;
    this.#matchSecret[node] = secret;
  }

  /** Nodes are visited by depth, so that a shorter beginning is finished before it is needed. */
  #link(): void {
    const queue = new Int32Array(this.#size);
    let filled = 0;
    const enqueueChildren = (node: number) => {
      for (let at = this.#firstChild[node]!; at !== ROOT; at = this.#nextSibling[at]!) {
        queue[filled++] = at;
      }
    };
    enqueueChildren(ROOT);
    for (let at = 0; at < filled; at++) {
      const node = queue[at]!;
      const shorter = this.#shorter[node]!;
      if (this.#matchLength[node] === 0) {
        this.#matchLength[node] = this.#matchLength[shorter]!;
        this.#matchSecret[node] = this.#matchSecret[shorter]!;
      }
      for (let child = this.#firstChild[node]!; child !== ROOT; child = this.#nextSibling[child]!) {
        this.#shorter[child] = this.step(shorter, this.#byte[child]!);
      }
      enqueueChildren(node);
    }
  }
}
