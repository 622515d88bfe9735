/**
 * Where `main.ts` hands over when a compiled program was started as its own guest. A module of its own, so that such a start loads nothing of the command.
 */
export { enterGuestMode } from "../sandbox/guest_mode.ts";
