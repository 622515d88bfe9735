/**
 * Takes a text apart into sentences, their clauses and words. Left out is what the speaker does not say himself: code in blocks, quoted lines and quotations. One
 * pass over the text, and a bound on every clause.
 */
import type { Clause } from "./claim_language.ts";

/** A sentence. */
export interface Sentence {
  readonly clauses: readonly Clause[];
  /** It asks. */
  readonly isQuestion: boolean;
}

/** Longer clauses are cut into several: nobody says what he did in so many words. */
const MAX_CLAUSE_WORDS = 60;
/** Longer sentences are taken for several. */
const MAX_CLAUSES = 12;
const AND = new Set(["and", "or", "e", "ou", "und", "oder", "sowie", "then"]);
const BUT = new Set(["but", "however", "mas", "porém", "aber", "sondern", "doch"]);
const TOP_LEVEL = /\.(?:com|org|net|io|dev|local|localhost|br|de|uk|eu)$/;
const FILE = /^[\p{L}\p{N}_~.\/-]*[\p{L}\p{N}_-]\.[a-z][a-z0-9]{0,4}$/u;
const TOKEN =
  /[\p{L}\p{N}§_~\/@](?:[\p{L}\p{N}§_~\/@'&#%+=-]|[.:](?=[\p{L}\p{N}_\/]))*|[,;:()–—?!.…\n]|\s-\s/gu;
const QUOTES: Readonly<Record<string, string>> = {
  '"': '"',
  "“": "”",
  "„": "“",
  "«": "»",
  "»": "«",
};

/** The sentences of a text, in order. */
export function* readSentences(text: string): Generator<Sentence> {
  for (const paragraph of spokenLines(text)) yield* sentencesOf(paragraph);
}

/** The beginning and the end of a letter that was drafted for somebody. */
const SALUTATION =
  /^\s*(?:dear|hi|hello|hey|prezad[oa]s?|olá|oi|car[oa]s?|querid[oa]s?|sehr geehrte[rn]?|liebe[rs]?|hallo)(?=[\s,])[^.?]{0,60}[,!:]?\s*$/i;
const SUBJECT = /^\s*\W{0,3}(?:subject|assunto|betreff)\W/i;
const SIGN_OFF =
  /^\s*(?:best|kind|warm|regards|sincerely|cheers|yours|atenciosamente|abraços?|att|cordialmente|(?:mit )?(?:freundliche|beste|herzliche|viele|liebe)n? grüßen?|mfg)(?=[\s,.!]|$)/i;

type LetterState = "none" | "announced" | "open" | "signed";

/** The lines without blocks of code, quoted lines and drafted letters, cleared of marks. */
function* spokenLines(text: string): Generator<string> {
  let fence: string | undefined;
  let letter: LetterState = "none";
  for (const line of text.split(/\r\n|[\n\r\u2028\u2029]/)) {
    const mark = /^\s{0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined;
      continue;
    }
    if (mark !== undefined) {
      fence = mark;
      continue;
    }
    letter = letterAt(line, letter);
    if (letter !== "open" && letter !== "signed" && !/^\s*>/.test(line)) yield spokenText(line);
  }
}

/** Where a line stands to a letter: one begins with a salutation behind a line that announces it, and ends with the lines of its signature. */
function letterAt(line: string, state: LetterState): LetterState {
  const isBlank = line.trim() === "";
  if (state === "open") return SIGN_OFF.test(line) ? "signed" : "open";
  if (state === "signed") return isBlank ? "none" : "signed";
  if (state === "announced" && SALUTATION.test(line)) return "open";
  if (state === "announced" && (isBlank || SUBJECT.test(line))) return "announced";
  return /:\W{0,4}$/.test(line.slice(-8)) ? "announced" : "none";
}

/** A line with names in the place of code, addresses and quotations. */
function spokenText(line: string): string {
  const plain = line.replaceAll("’", "'").replace(/^\s*(?:[-*+•]|\d{1,3}[.)])\s+/, "");
  return withoutQuotes(named(plain)).replace(
    /[*#|]+|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu,
    " ",
  );
}

/** Code becomes `§file` or `§code`; links become what they say. */
function named(line: string): string {
  const pieces = line.split("`");
  // An odd mark at the end opens nothing.
  const closed = pieces.length % 2 === 1 ? pieces.length : pieces.length - 1;
  return pieces.map((piece, at) => {
    if (at % 2 === 0 || at >= closed) {
      return piece.replace(/\]\([^()\s]{0,2000}\)/g, " ").replace(/[[\]]/g, " ");
    }
    return FILE.test(piece.toLowerCase()) ? "§file" : "§code";
  }).join("");
}

/** Quotations become `§quote`: what others said is no claim. Marks that nothing closes stay. */
function withoutQuotes(line: string): string {
  let out = "";
  let from = 0;
  // Where the search for a mark found none, none is further behind either.
  const absent = new Set<string>();
  for (let at = 0; at < line.length; at++) {
    const closing = QUOTES[line[at]!];
    if (closing === undefined || absent.has(closing)) continue;
    const end = line.indexOf(closing, at + 1);
    if (end < 0) {
      absent.add(closing);
      continue;
    }
    out += `${line.slice(from, at)} §quote `;
    from = end + 1;
    at = end;
  }
  return out + line.slice(from);
}

function* sentencesOf(text: string): Generator<Sentence> {
  let clauses: Clause[] = [];
  let words: string[] = [];
  let joined: Clause["joined"] = "start";
  const close = (next: Clause["joined"]) => {
    if (words.length > 0) clauses.push({ words, joined });
    joined = clauses.length === 0 ? "start" : next;
    words = [];
  };
  const last = text.trimEnd().length - 1;
  for (const { 0: token, index } of text.toLowerCase().matchAll(TOKEN)) {
    // "Am 3. März": an ordinal ends nothing.
    if (token === "." && /^\d{1,2}$/.test(words.at(-1) ?? "") && index < last) {
      continue;
    }
    if (/^[?!.…\n]$/.test(token)) {
      close("start");
      if (clauses.length > 0) yield { clauses, isQuestion: token === "?" };
      clauses = [];
      joined = "start";
    } else if (/^(?:[,;:()–—]|\s-\s)$/.test(token)) {
      close("sign");
    } else if (AND.has(token) || BUT.has(token)) {
      const kind = BUT.has(token) ? "but" : "and";
      // A comma before the word that joins is no clause of its own.
      if (words.length === 0 && clauses.length > 0) joined = kind;
      else close(kind);
    } else {
      if (words.length >= MAX_CLAUSE_WORDS) close("sign");
      if (clauses.length >= MAX_CLAUSES) {
        yield { clauses, isQuestion: false };
        clauses = [];
      }
      words.push(wordOf(token));
    }
  }
  close("start");
  if (clauses.length > 0) yield { clauses, isQuestion: false };
}

/** A word as the languages know it. */
function wordOf(token: string): string {
  if (token.startsWith("§")) return token;
  if (token.includes("@")) return "§mail";
  if (/^[a-z]+:\/\//.test(token) || /^\/\w/.test(token) || TOP_LEVEL.test(token)) return "§url";
  // Times (10.30) and versions are no files: an ending begins with a letter.
  return FILE.test(token) ? "§file" : token;
}
