/**
 * Where the model is: a base URL checked and taken apart, so that what is secret in it never reaches a message.
 */
import { withoutCredentials } from "./scrub.ts";

/** The base URL of OpenAI itself, used when none is set. */
export const OPENAI_BASE_URL = "https://api.openai.com/v1";

/** A checked base URL. */
export interface Endpoint {
  /** What requests are built from: no user name, no password, no fragment, no slash at its end; with the query, if any. */
  readonly baseUrl: string;
  /** What messages may show: origin and path. */
  readonly label: string;
  /** Whether it is OpenAI itself, where a key is needed and the names of the models are known. */
  readonly isOpenAI: boolean;
  /** `Authorization` for the user name and password in the URL, if there were any. */
  readonly basicAuthorization?: string;
  /** What must not be shown. */
  readonly secrets: readonly string[];
}

/**
 * Checks a base URL such as `http://127.0.0.1:11434/v1`. Slashes at its end, and a path that goes on to `/chat/completions`, are forgiven.
 *
 * @throws {TypeError} when it is no `http:` or `https:` URL.
 */
export function parseEndpoint(baseUrl: string): Endpoint {
  const url = parseHttpUrl(baseUrl.trim());
  const secrets = [...url.searchParams.values()];
  let basicAuthorization: string | undefined;
  if (url.username !== "" || url.password !== "") {
    const user = decodeURIComponent(url.username);
    const password = decodeURIComponent(url.password);
    const encoded = btoa(String.fromCharCode(...new TextEncoder().encode(`${user}:${password}`)));
    basicAuthorization = `Basic ${encoded}`;
    secrets.push(user, password, url.password, encoded);
  }
  const path = url.pathname.replace(/\/+$/, "").replace(/\/chat\/completions$/, "");
  const label = `${url.origin}${path.replace(/\/+$/, "")}`;
  return {
    baseUrl: `${label}${url.search}`,
    label,
    isOpenAI: url.hostname === "api.openai.com",
    ...(basicAuthorization === undefined ? {} : { basicAuthorization }),
    secrets,
  };
}

function parseHttpUrl(text: string): URL {
  const shown = JSON.stringify(withoutCredentials(text));
  const example = `"${OPENAI_BASE_URL}" or "http://127.0.0.1:11434/v1"`;
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) {
    const hint = text.includes("@")
      ? ""
      : `; did you mean ${JSON.stringify(`http://${withoutCredentials(text)}`)}?`;
    throw new TypeError(
      `The base URL must start with http:// or https://, as in ${example}; got ${
        text.includes("@") ? "one without" : shown
      }${hint}`,
    );
  }
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    // The parser's own error holds the whole text.
    throw new TypeError(`The base URL must be a URL such as ${example}; got ${shown}`);
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new TypeError(`The base URL must start with http:// or https://; got ${shown}`);
  }
  return url;
}
