/**
 * The texts by which a secret may be known: as it is, and as the encodings that it meets on its way would write it. Pure.
 * Encodings of encodings, and encoders that escape more or less than these, are left to the reading of escapes (escape_syntax.ts).
 */

/** Derived forms that are shorter say too little of a secret, and stand in too much that is none. */
const MIN_DERIVED_LENGTH = 4;

/**
 * All forms of a secret, each once: itself, without its line breaks, escaped for JSON and for URLs, in hex, and in base64 at each of
 * the three places that it can have in a longer base64 text.
 *
 * @param secret Well-formed text.
 */
export function formsOf(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret);
  const derived = [
    secret.replaceAll(/[\r\n]/g, ""),
    ...jsonForms(secret),
    ...urlForms(secret),
    ...base64Forms(bytes),
    ...hexForms(bytes),
  ];
  return [...new Set([secret, ...derived.filter((form) => form.length >= MIN_DERIVED_LENGTH)])];
}

function jsonForms(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  return [
    json,
    json.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${hexOf(unit)}`),
    json.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${hexOf(unit).toUpperCase()}`),
  ];
}

function hexOf(unit: string): string {
  return unit.charCodeAt(0).toString(16).padStart(4, "0");
}

function urlForms(secret: string): string[] {
  const forms = [
    encodeURIComponent(secret),
    encodeURI(secret),
    new URLSearchParams([["", secret]]).toString().slice(1),
  ];
  return forms.flatMap((form) => [
    form,
    form.replaceAll(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()),
  ]);
}

function hexForms(bytes: Uint8Array): string[] {
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex, hex.toUpperCase()];
}

/**
 * A character of base64 stands for six bits, so the one at either end of a secret may belong in part to what surrounds it. Those that
 * are the secret's alone are always the same. Where the text ends with the secret, one more is, and the padding.
 */
function base64Forms(bytes: Uint8Array): string[] {
  return [0, 1, 2].flatMap((before) => {
    const encoded = base64(bytes, before);
    const first = Math.ceil(before * 8 / 6);
    const end = Math.floor((before + bytes.length) * 8 / 6);
    const forms = [encoded.slice(first), encoded.slice(first, end)];
    return [...forms, encoded.slice(first).replaceAll("=", "")];
  }).flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_")]);
}

/** Base64 of some zero bytes and the bytes behind them. */
function base64(bytes: Uint8Array, zeros: number): string {
  let text = "\0".repeat(zeros);
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
