/** What clients of others give, held to what a reply is: else a run would fail far from there, in words that nobody could place. */
import type { Completion } from "../contracts/model.ts";
import { nameOf } from "./argument_checks.ts";

/**
 * A reply as a client gave it.
 *
 * @throws {TypeError} when it lacks its text or what it cost.
 */
export function checkCompletion(given: Completion): Completion {
  if (typeof given !== "object" || given === null) {
    throw new TypeError(`the client gave ${nameOf(given)} and not a reply`);
  }
  const { text, usage } = given;
  if (typeof text !== "string") {
    throw new TypeError(`the text of the client's reply must be a string, got ${nameOf(text)}`);
  }
  if (!(usage?.prompt >= 0 && usage.completion >= 0)) {
    throw new TypeError(
      "the usage of the client's reply must be { prompt, completion }, numbers; zeros where they are not known",
    );
  }
  return given;
}
