/**
 * Answers requests for artifacts, as a function from request to response. It listens nowhere and asks for no token: whoever has the address of an artifact was given it,
 * since the id in it cannot be guessed. What must not be told is that another address exists: every miss is the same answer.
 */
import type { Artifact, ArtifactStore } from "../../contracts/artifact.ts";
import { ARTIFACT_PATH, encodeSegment } from "./artifact_address.ts";
import {
  type Delivery,
  guardHeaders,
  pageDelivery,
  pictureDelivery,
  textDelivery,
} from "./artifact_page.ts";
import { deliveryOf } from "./artifact_types.ts";

/** Options of {@linkcode serveArtifact}. */
export interface ServeArtifactOptions {
  /** Where the artifacts are. The whole of it is served, whoever owns what. */
  readonly store: ArtifactStore;
}

/**
 * Answers `GET` and `HEAD` of `/artifacts/ID/NAME`, with `?version=N` for one version, and with `?download` for the bytes as a file to keep; 405 for other methods, 404
 * for everything that is not there.
 *
 * An HTML artifact is sent as a page with the artifact in a frame: its scripts run, but reach neither network nor storage, and it can be shown in no other site. SVG is sent
 * as a page with the picture in it. Links lead nowhere when they are clicked; a browser's own menu opens them.
 *
 * Rejects with what the store throws, and only then.
 *
 * @example
 * ```ts
 * import { MemoryStore } from "@agentloop/core";
 * import { artifactAddress, serveArtifact } from "@agentloop/core/ext/artifacts";
 *
 * const { artifacts: store } = new MemoryStore();
 * const saved = await store.save({}, {
 *   sessionId: "s1",
 *   filename: "hello.txt",
 *   title: "Hello",
 *   type: "text/plain",
 *   content: "Hello.",
 * });
 * const request = new Request(`http://127.0.0.1${artifactAddress(saved)}`);
 * console.log(await (await serveArtifact(request, { store })).text()); // Hello.
 * ```
 *
 * @throws {TypeError} when there is no artifact store.
 */
export async function serveArtifact(
  request: Request,
  { store }: ServeArtifactOptions,
): Promise<Response> {
  if (typeof store?.read !== "function") {
    throw new TypeError(
      "serveArtifact: store must be an artifact store, such as the artifacts of a MemoryStore",
    );
  }
  const isHead = request.method === "HEAD";
  if (!isHead && request.method !== "GET") {
    return answer({ status: 405, body: "Only GET and HEAD.\n", headers: { allow: "GET, HEAD" } });
  }
  const url = new URL(request.url);
  const artifact = await find(url, store);
  if (artifact === undefined) return answer({ status: 404, body: "Not found.\n", isHead });
  const isDownload = url.searchParams.has("download");
  const { body, contentType, policy, disposition } = deliver(artifact, isDownload);
  return answer({
    status: 200,
    body,
    contentType,
    policy,
    isHead,
    headers: { "content-disposition": `${disposition}; ${filenameParameters(artifact.filename)}` },
  });
}

/** The artifact of an address: all of it must be as it was given out. */
async function find(url: URL, store: ArtifactStore): Promise<Artifact | undefined> {
  if (!url.pathname.startsWith(ARTIFACT_PATH)) return undefined;
  const [id, name, ...more] = url.pathname.slice(ARTIFACT_PATH.length).split("/").map(decoded);
  if (id === undefined || id === "" || name === undefined || more.length > 0) return undefined;
  const asked = url.searchParams.get("version");
  // Fifteen digits are a number that is kept exactly.
  if (asked !== null && !/^[1-9]\d{0,14}$/.test(asked)) return undefined;
  const found = await store.read("any", id, asked === null ? {} : { version: Number(asked) });
  return found?.filename === name ? found : undefined;
}

function deliver(
  { type, title, filename, content }: Artifact,
  isDownload: boolean,
): Delivery & { readonly disposition: "inline" | "attachment" } {
  const { showing, sentAs } = deliveryOf(type);
  const shown = isDownload ? "file" : showing;
  switch (shown) {
    case "page":
      return { ...pageDelivery(content, title || filename), disposition: "inline" };
    case "picture":
      return { ...pictureDelivery(content, title || filename), disposition: "inline" };
    case "text":
      return { ...textDelivery(content, sentAs), disposition: "inline" };
    case "file":
      return { ...textDelivery(content, sentAs), disposition: "attachment" };
  }
}

function answer(
  { status, body, contentType = "text/plain; charset=utf-8", policy, isHead, headers }: {
    readonly status: number;
    readonly body: string;
    readonly contentType?: string;
    readonly policy?: string;
    readonly isHead?: boolean;
    readonly headers?: Record<string, string>;
  },
): Response {
  const bytes = new TextEncoder().encode(body);
  return new Response(isHead ? null : bytes, {
    status,
    headers: {
      ...guardHeaders(policy),
      "content-type": contentType,
      "content-length": String(bytes.length),
      ...headers,
    },
  });
}

/** The name in a Content-Disposition: for old readers with `_` for what is not plain, for all others exactly. */
function filenameParameters(filename: string): string {
  const plain = filename.replace(/[^\w .()+,@-]/g, "_");
  return `filename="${plain}"; filename*=UTF-8''${encodeSegment(filename)}`;
}

/** The segment without its percent signs; undefined where these make no text. */
function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
