/** The border of every grant store in this folder: checks what a caller hands in. Pure. */
import type { Grant } from "../contracts/grant.ts";
import { optionalText, text } from "./step_input.ts";

/**
 * Checks a grant.
 *
 * @throws {TypeError} when a field is missing, empty or of the wrong type.
 */
export function checkedGrant({ name, key }: Grant): Grant {
  const checkedKey = optionalText(key, "A grant's key");
  if (name === "" || checkedKey === "") {
    throw new TypeError("A grant's name and key must not be empty.");
  }
  return {
    name: text(name, "A grant's name"),
    ...(checkedKey === undefined ? {} : { key: checkedKey }),
  };
}

/**
 * Checks what is to be revoked.
 *
 * @throws {TypeError} when it is no text.
 */
export function checkedRevocation(what: string | undefined): string | undefined {
  return optionalText(what, "What is revoked");
}
