/**
 * The media types that artifacts may have, and in which form a browser gets each. What a browser would run or apply in the name of another page (scripts, styles,
 * XML) goes out as plain text. Pure.
 */

/**
 * How a browser gets a type: a page that runs in a frame without a network, a picture, text as it is, or a file to keep. A picture is drawn as an image, in which no
 * script runs.
 */
export type Showing = "page" | "picture" | "text" | "file";

/** A type that artifacts may have. */
export interface ArtifactType {
  /** The media type. */
  readonly type: string;
  /** What filenames of it end in; the first is also a word for it. */
  readonly extensions: readonly string[];
  /** How a browser gets it. */
  readonly showing: Showing;
  /** The media type that a browser is told, where it is another one. */
  readonly sentAs?: string;
}

const PLAIN = "text/plain";

/** Every type. */
export const ARTIFACT_TYPES: readonly ArtifactType[] = [
  { type: "text/html", extensions: ["html", "htm"], showing: "page" },
  { type: "image/svg+xml", extensions: ["svg"], showing: "picture" },
  { type: PLAIN, extensions: ["txt", "text", "log"], showing: "text" },
  { type: "text/markdown", extensions: ["md", "markdown"], showing: "text" },
  { type: "application/json", extensions: ["json"], showing: "text" },
  {
    type: "text/javascript",
    extensions: ["js", "javascript", "mjs"],
    showing: "text",
    sentAs: PLAIN,
  },
  { type: "text/css", extensions: ["css"], showing: "text", sentAs: PLAIN },
  { type: "application/xml", extensions: ["xml"], showing: "text", sentAs: PLAIN },
  { type: "application/yaml", extensions: ["yaml", "yml"], showing: "text", sentAs: PLAIN },
  { type: "text/csv", extensions: ["csv"], showing: "file" },
  { type: "text/tab-separated-values", extensions: ["tsv"], showing: "file" },
  { type: "text/calendar", extensions: ["ics"], showing: "file" },
];

/**
 * The media type of an artifact: the one that was asked for, as a media type or as a word such as `markdown`, or what the filename says; text where it says nothing.
 *
 * @throws {TypeError} when another type was asked for; the message lists those that there are.
 */
export function artifactType(filename: string, asked: string = ""): string {
  const wanted = (asked.split(";")[0] ?? "").trim().toLowerCase();
  if (wanted === "") return byExtension(filename.split(".").slice(1).at(-1)) ?? PLAIN;
  const found = ARTIFACT_TYPES.find(({ type }) => type === wanted)?.type ?? byExtension(wanted);
  if (found !== undefined) return found;
  throw new TypeError(
    `An artifact cannot have the type ${
      JSON.stringify(asked.slice(0, 100))
    }. Leave it out to have it told from the filename, or take one of ${
      ARTIFACT_TYPES.map(({ type }) => type).join(", ")
    }.`,
  );
}

/** In which form a browser gets a type; one that is not in the table is a file of bytes. */
export function deliveryOf(type: string): { readonly showing: Showing; readonly sentAs: string } {
  const known = ARTIFACT_TYPES.find((one) => one.type === type);
  if (known === undefined) return { showing: "file", sentAs: "application/octet-stream" };
  return { showing: known.showing, sentAs: `${known.sentAs ?? known.type}; charset=utf-8` };
}

function byExtension(extension: string = ""): string | undefined {
  const wanted = extension.toLowerCase();
  return ARTIFACT_TYPES.find(({ extensions }) => extensions.includes(wanted))?.type;
}
