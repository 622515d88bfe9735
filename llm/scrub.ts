/**
 * Takes what is secret out of text that people or logs will see. Pure. It knows the secrets of one client, and the shapes in which
 * servers and runtimes echo credentials of their own accord.
 */

/** Shorter values are left alone: they protect nothing, and to replace them would garble the text around them. */
const MIN_SECRET_LENGTH = 8;
const MARK = "[redacted]";

const URLS = /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'`<>()[\]{}]+/gi;
const QUERY_VALUES = /([?&][\w.-]+=)[^\s&#"'`<>()]+/g;
const BEARER = /\b(bearer|basic)\s+[\w+/=.~*-]{6,}/gi;
const KEY_SHAPES = /\b(?:sk-|gsk_|xai-|hf_|AIza)[\w*.-]{6,}/g;

/** Text in, the same text without secrets out. */
export type Scrub = (text: string) => string;

/**
 * Makes a function that replaces the given secrets (as they are and percent-encoded), query strings and user names in URLs, and
 * anything of the shape of an API key or an authorization.
 */
export function createScrub(secrets: readonly string[]): Scrub {
  const forms = new Set<string>();
  for (const secret of secrets) {
    for (const form of [secret, encodeURIComponent(secret.toWellFormed())]) {
      if (form.length >= MIN_SECRET_LENGTH) forms.add(form);
    }
  }
  // Longest first, so that a secret within another leaves no rest of the longer one.
  const ordered = [...forms].sort((a, b) => b.length - a.length);
  return (text) => {
    let clean = text;
    for (const form of ordered) clean = clean.replaceAll(form, MARK);
    return clean
      .replace(URLS, withoutCredentials)
      .replace(QUERY_VALUES, `$1${MARK}`)
      .replace(BEARER, `$1 ${MARK}`)
      .replace(KEY_SHAPES, MARK);
  };
}

/** A URL, or something near to one, without user name, password, query and fragment. */
export function withoutCredentials(url: string): string {
  return url.replace(/[?#].*$/s, "").replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, "$1");
}

/**
 * A copy of an error for the `cause` of another: name and message scrubbed, causes too, to a depth of three. The original cannot be
 * handed on, since runtimes put whole URLs into their messages and stacks.
 */
export function scrubError(error: unknown, scrub: Scrub, depth = 3): Error | undefined {
  if (!(error instanceof Error)) return undefined;
  const cause = depth > 1 ? scrubError(error.cause, scrub, depth - 1) : undefined;
  const copy = new Error(scrub(error.message), cause === undefined ? undefined : { cause });
  copy.name = error.name;
  // Where the copy was made says nothing about the failure.
  copy.stack = `${copy.name}: ${copy.message}`;
  return copy;
}
