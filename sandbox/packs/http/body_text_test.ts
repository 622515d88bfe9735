import { equal } from "node:assert/strict";
import { decodeBody } from "./body_text.ts";

const bytes = (...parts: readonly (string | readonly number[])[]) =>
  new Uint8Array(
    parts.flatMap((part) => typeof part === "string" ? [...new TextEncoder().encode(part)] : part),
  );

Deno.test("NET-09: the header's charset decides", () => {
  equal(decodeBody(bytes([0x93, 0xfa, 0x96, 0x7b]), "text/html; charset=shift_jis"), "日本");
});

Deno.test("NET-09: without one, the document's own", () => {
  const page = bytes('<html><meta charset="windows-1251"><p>', [0xcf, 0xf0, 0xe8]);
  equal(decodeBody(page, "text/html"), '<html><meta charset="windows-1251"><p>При');
});

Deno.test("NET-09: an unknown label counts as UTF-8", () => {
  equal(decodeBody(bytes("plain"), "text/html; charset=visual"), "plain");
  equal(decodeBody(bytes("ä €"), "text/plain; charset=no-such-thing"), "ä €");
});

Deno.test("NET-09: iso-8859-1 is read as windows-1252", () => {
  equal(decodeBody(bytes("it", [0x92], "s"), "text/plain; charset=iso-8859-1"), "it’s");
});

Deno.test("body text: without any label it is UTF-8, and what does not fit is replaced", () => {
  equal(decodeBody(bytes("日本"), undefined), "日本");
  equal(decodeBody(bytes("日本"), "application/json"), "日本");
  equal(decodeBody(bytes("a", [0xff], "b"), "text/plain"), "a\ufffdb");
  equal(decodeBody(new Uint8Array(), undefined), "");
});

Deno.test("body text: a byte order mark beats the header, and is taken off", () => {
  equal(decodeBody(bytes([0xef, 0xbb, 0xbf], "ä"), "text/plain; charset=iso-8859-1"), "ä");
  equal(decodeBody(bytes([0xff, 0xfe, 0x41, 0x00]), "text/plain"), "A");
  equal(decodeBody(bytes([0xfe, 0xff, 0x00, 0x41]), undefined), "A");
});

Deno.test("body text: the header's label may be quoted, in any case and anywhere among the parameters", () => {
  const body = bytes([0xe4]);
  for (
    const type of [
      'text/plain; charset="iso-8859-1"',
      "text/plain;charset='iso-8859-1'",
      "text/plain; format=flowed; CHARSET = ISO-8859-1 ; x=y",
    ]
  ) equal(decodeBody(body, type), "ä", type);
});

Deno.test("body text: an unknown label in the header leaves the word to the document", () => {
  const page = bytes('<meta charset="koi8-r">', [0xd0]);
  equal(decodeBody(page, "text/html; charset=none").at(-1), "п");
});

Deno.test("body text: the stand-in for the header and the XML declaration tell it too", () => {
  const meta = '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-2">';
  equal(decodeBody(bytes(meta, [0xb9]), "text/html").at(-1), "š");
  const xml = '<?xml version="1.0" encoding="iso-8859-1"?><a>';
  equal(decodeBody(bytes(xml, [0xe4]), "application/atom+xml").at(-1), "ä");
});

Deno.test("body text: what only speaks of charsets does not count", () => {
  const commented = '<!-- <meta charset="koi8-r"> --><p>ä';
  equal(decodeBody(bytes(commented), "text/html"), commented);
  const described = '<meta name="description" content="about charset=koi8-r"><p>ä';
  equal(decodeBody(bytes(described), "text/html"), described);
  const late = `${" ".repeat(2000)}<meta charset="koi8-r">ä`;
  equal(decodeBody(bytes(late), "text/html"), late);
  const json = '{"html":"<meta charset=koi8-r>","x":"ä"}';
  equal(decodeBody(bytes(json), "application/json"), json);
});

Deno.test("body text: a document that says UTF-16 of itself is in UTF-8", () => {
  const page = '<meta charset="utf-16"><p>ä';
  equal(decodeBody(bytes(page), "text/html"), page);
});
