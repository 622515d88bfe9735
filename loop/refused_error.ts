/** A refusal on its way through a host function, from where the gate said no to where the call ends. */
import type { CallEnd } from "./passage.ts";

/** What asking the gate rejects with while a call runs; the call ends with it unless the function knows better. */
export class RefusedError extends Error {
  /** How the call ends. */
  readonly end: CallEnd;

  constructor(end: CallEnd) {
    super(end.reply.ok ? "" : end.reply.message);
    this.name = "PermissionError";
    this.end = end;
  }
}
