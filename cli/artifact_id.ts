/**
 * Artifacts as they are named on the command line: by their id, or by the address that a model gave. Pure.
 */

/** The id in an address such as `http://127.0.0.1:8080/artifacts/ID/report.html` or `/artifacts/ID/report.html`; any other word is taken for an id. */
export function artifactIdOf(word: string): string {
  return /^(?:https?:\/\/[^/]+)?\/artifacts\/([^/?#]+)/.exec(word)?.[1] ?? word;
}
