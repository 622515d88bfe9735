/** How claims are made in German: "ich habe es gespeichert", "die Datei wurde gespeichert", "gespeichert!", "E-Mail an Ana gesendet", "die Seite ist online". */
import {
  type Actor,
  type ClaimLanguage,
  type Clause,
  type ClauseContext,
  DEED_KINDS,
  type DeedKind,
  type DeedWords,
  deedWords,
  hasOne,
  standsIn,
  wordSet,
  YEAR,
} from "./claim_language.ts";

const DEEDS: Readonly<Record<DeedKind, DeedWords>> = {
  saved: deedWords({
    strong:
      "gespeichert abgespeichert abgelegt exportiert gesichert archiviert hinterlegt heruntergeladen",
    weak:
      `erstellt angelegt geschrieben aktualisiert geändert generiert erzeugt gebaut eingetragen ergänzt
      hinzugefügt zusammengestellt bearbeitet gemacht angepasst festgehalten notiert`,
    things: `datei dateien dokument dokumente seite seiten dashboard dashboards artefakt artefakte
      pdf csv html ordner diagramm diagramme backup sicherung präsentation folien website bild §file`,
    alsoInAnswers:
      `bericht berichte tabelle tabellen notiz notizen kopie kopien entwurf einstellungen
      konfiguration liste rezept reiseplan übersicht ergebnisse zusammenfassung alles`,
  }),
  scheduled: deedWords({
    strong: "eingeplant terminiert",
    weak:
      `geplant eingerichtet gesetzt gestellt eingetragen angelegt erstellt programmiert aktiviert
      vorgemerkt festgelegt konfiguriert`,
    things:
      `erinnerung erinnerungen wecker alarm aufgabe aufgaben überblick briefing timer auftrag job
      benachrichtigung automatisierung tagesüberblick`,
    ownThings: "termin termine besprechung treffen meeting kalender anruf kalendereintrag",
  }),
  sent: deedWords({
    strong:
      `gesendet geschickt verschickt abgeschickt versendet versandt abgesendet weitergeleitet gemailt
      zugeschickt benachrichtigt informiert angeschrieben rausgeschickt`,
    weak: "geschrieben beantwortet übermittelt zugestellt ausgeliefert",
    things: `e-mail e-mails email emails mail mails nachricht nachrichten einladung einladungen
      benachrichtigung benachrichtigungen antwort rechnung kopie newsletter brief sms anfrage bestätigung`,
    alsoInAnswers: "formular bericht liste zusammenfassung",
  }),
  published: deedWords({
    strong: "veröffentlicht gepostet publiziert deployt bereitgestellt freigeschaltet",
    weak: "ausgerollt hochgeladen eingestellt gestellt live",
    things:
      `beitrag beiträge artikel seite seiten ankündigung versionshinweise blog post website webseite
      startseite version paket meldung app`,
    alsoInAnswers: "text bericht zusammenfassung",
  }),
};

const SELF = wordSet("ich wir");
const HAVE = wordSet("habe hab haben hat hast habt hatte hatten");
const PAST_BE = wordSet("wurde wurden worden");
const BE = wordSet("wurde wurden worden ist sind");
const BLOCKS = wordSet(
  `nicht nichts nie niemals ohne weder fehlgeschlagen konnte konnten kann können könnte
  könnten werde werden wird würde würden wäre wären hätte hätten soll sollen sollte sollten muss müssen
  müsste möchte möchten will wollen darf dürfen wenn falls sobald ob bevor ehe bis niemand kaum vielleicht wahrscheinlich vermutlich scheint wohl
  gescheitert bitte lass lassen`,
);
const REPORTS = wordSet(
  `laut zufolge sagt sagte schreibt schrieb berichtet berichtete zeigt meldet meldete erklärt erklärte gestern
   nachdem angeblich vor seit anscheinend gefunden gelesen gesehen sehe finde glaube`,
);
const PERSONS = wordSet("du er wer man ihr");
const FILLERS = wordSet(
  `fertig erledigt ok okay gerade eben soeben jetzt nun schon bereits alles auch
  außerdem erfolgreich sofort gut gleich ja in ordnung direkt`,
);
const PLACES = wordSet("ordner §file verzeichnis laufwerk datei");
const REFERENCES = wordSet("sie es ihn");
const IN_TEXT = wordSet("unten oben folgende folgenden");
/** What is done there happens in the answer only. */
const SHOWN = {
  prepositions: wordSet("im in auf"),
  places: wordSet("beispiel beispielen codebeispiel variable variablen screenshot bildschirmfoto"),
};
/** Words before a file that something was made from. */
const SOURCES = wordSet("aus von zu über mit");
const MONTHS = wordSet(
  `januar februar märz april mai juni juli august september oktober november dezember
  woche letzte letzten letztes`,
);
const DEFINITE = wordSet("der die das dein deine ihr ihre alle alles dieser diese dieses den dem");
const KIN = wordSet("dem deinem deiner ihrem ihrer herrn frau");

/** German. */
export const GERMAN: ClaimLanguage = {
  read(clause, context) {
    const { words } = clause;
    const isBlocked = words[0] === "um" || isRelative(clause) || words.some(isBlock) ||
      standsIn(words, SHOWN);
    if (isBlocked) return { claims: [], actor: "blocked" };
    const actor = actorOf(clause, context);
    const claims = DEED_KINDS.filter((kind) => isClaimed({ clause, context, actor, kind }));
    return { claims, actor: claims.length > 0 && actor === "unknown" ? "passive" : actor };
  },
};

/** "Die für heute gesetzt sind" */
function isRelative({ words, joined }: Clause): boolean {
  return joined === "sign" && /^(?:der|die|das|den|dem|deren)$/.test(words[0]!) &&
    (BE.has(words.at(-1)!) || HAVE.has(words.at(-1)!));
}

function isBlock(word: string): boolean {
  return BLOCKS.has(word) || /^kein(?:e|er|en|em|es)?$/.test(word);
}

/** Who acts: a clause without a verb of its own goes on with the one before it. */
function actorOf({ words, joined }: Clause, { actor }: ClauseContext): Actor {
  if (hasOne(words, HAVE)) return hasOne(words, SELF) ? "self" : "other";
  if (hasOne(words, BE)) return "passive";
  if (joined === "start") return "unknown";
  return hasOne(words, PERSONS) || hasOne(words, SELF) ? "other" : actor;
}

interface Place {
  readonly clause: Clause;
  readonly context: ClauseContext;
  readonly actor: Actor;
  readonly kind: DeedKind;
}

function isClaimed(place: Place): boolean {
  const { clause: { words }, kind, actor } = place;
  if (actor === "other" || actor === "blocked") return false;
  if (kind === "sent" && isTold(place)) return true;
  if (kind === "published" && isOnline(place)) return true;
  if (kind === "saved" && isPlaced(words)) return true;
  return words.some((_, at) => isDeed(place, at));
}

function isDeed({ clause, context, actor, kind }: Place, at: number): boolean {
  const { words } = clause;
  const deed = DEEDS[kind];
  const word = words[at]!;
  const isStrong = deed.strong.has(word);
  if (!isStrong && !deed.weak.has(word)) return false;
  if (actor === "self") {
    // "Ich habe dir oben drei Möglichkeiten geschickt"
    const isInText = hasOne(words, IN_TEXT) && !hasThing(words, deed.things);
    return (isStrong && !isInText) || ownsThing(deed, { words, sentence: context.sentence }) ||
      isWrittenTo(words, kind);
  }
  const subject = words.slice(0, at);
  const things = isStrong ? deed.things : deed.solid;
  const isAbout = hasThing(subject, things) ||
    (subject.length < 5 && hasThing(context.sentence, things));
  if (actor === "passive") {
    if (hasAgent(words, at) || hasOne(context.whole, REPORTS)) return false;
    // "Von Chen und Kollegen veröffentlicht": the other hand is named in the clause before.
    if (isGoneOn(clause) && hasAgent([...context.sentence], Infinity)) return false;
    if ([...context.sentence].some((one) => YEAR.test(one))) return false;
    if ((kind === "published" || kind === "sent") && hasOne(words, MONTHS)) return false;
    if (isStrong && words.length <= 2) return true;
    const [first = ""] = words.filter((one) => !FILLERS.has(one));
    // "Dateien sind in der Cloud gespeichert" tells what always is.
    if (!hasOne(words, PAST_BE) && words.includes("sind") && !DEFINITE.has(first)) return false;
    if (isAbout) return true;
    const isLoose = /^(?:alles|es)$/.test(words[0]!) || (words[0] === "das" && BE.has(words[1]!)) ||
      (kind !== "sent" && /^(?:deine?|ihre?)$/.test(words[0]!));
    return isStrong && isLoose && hasOne(words, PAST_BE) && kind !== "scheduled";
  }
  // No verb: a headline, or a deed alone.
  if (hasAgent(words, at) || hasOne(words, PERSONS) || hasOne(words, SELF)) return false;
  const rest = subject.filter((one) => !FILLERS.has(one));
  if (rest.length === 0) return isStrong && at >= words.length - 8;
  if (at !== words.length - 1 && !isThing(rest[0]!, things)) return false;
  return rest.length <= 6 && hasThing(rest, things);
}

/** Compounds count as what they end with: a `versionsdatei` is a `datei`. */
function isThing(word: string, things: ReadonlySet<string>): boolean {
  if (things.has(word)) return true;
  const tail = word.slice(word.lastIndexOf("-") + 1);
  if (tail !== word && things.has(tail)) return true;
  for (let from = Math.max(1, word.length - 18); from <= word.length - 5; from++) {
    if (things.has(word.slice(from))) return true;
  }
  return false;
}

function hasThing(words: Iterable<string>, things: ReadonlySet<string>): boolean {
  for (const word of words) if (isThing(word, things)) return true;
  return false;
}

function ownsThing(
  { ownThings }: DeedWords,
  { words, sentence }: { readonly words: readonly string[]; readonly sentence: Iterable<string> },
): boolean {
  if (words.some((word) => IN_TEXT.has(word))) return false;
  const file = words.indexOf("§file");
  if (file > 0 && ownThings.has("§file") && !SOURCES.has(words[file - 1]!)) return true;
  // Where the verb alone is left of its clause, the thing stands before.
  const isReferred = words.length < 3 || hasOne(words, REFERENCES);
  const where = isReferred ? sentence : words;
  for (const word of where) if (word !== "§file" && isThing(word, ownThings)) return true;
  return false;
}

/** A clause without a subject and a verb of its own. */
function isGoneOn({ words, joined }: Clause): boolean {
  return joined === "and" && !hasOne(words, BE);
}

function hasAgent(words: readonly string[], at: number): boolean {
  const by = words.indexOf("von");
  return by >= 0 && by < at && !/^(?:mir|uns|heute|gestern|morgen)$/.test(words[by + 1] ?? "");
}

/** "Ich habe dem Vermieter geschrieben" */
function isWrittenTo(words: readonly string[], kind: DeedKind): boolean {
  if (kind !== "sent" || !words.includes("geschrieben")) return false;
  return words.some((word, at) =>
    KIN.has(word) && (SELF.has(words[at - 1] ?? "") || HAVE.has(words[at - 1] ?? ""))
  );
}

/** "Ich habe ihm Bescheid gegeben", "die Einladung ging raus" */
function isTold({ clause: { words }, context, actor }: Place): boolean {
  if (actor === "self") {
    return words.includes("bescheid") && (words.includes("gegeben") || words.includes("gesagt")) &&
      !words.includes("dir");
  }
  const isOut = words.includes("raus") || words.includes("rausgegangen") ||
    words.includes("gegangen") || words.includes("hinausgegangen");
  return isOut && hasThing(words, DEEDS.sent.things) && !hasOne(context.whole, REPORTS);
}

/** "Der Artikel ist online", "Online!" */
function isOnline({ clause: { words }, context, actor }: Place): boolean {
  const at = words.findIndex((word) => word === "online" || word === "live");
  if (at < 0) return false;
  if (words.filter((word) => !FILLERS.has(word)).length === 1) return true;
  return actor === "passive" && hasThing(context.sentence, DEEDS.published.things) &&
    !hasOne(context.whole, REPORTS) && !hasOne(words, OTHERS_ONLY);
}

const OTHERS_ONLY = wordSet("du er wer man");

/** "Das Rezept liegt nun in deinem Ordner" */
function isPlaced(words: readonly string[]): boolean {
  const at = words.findIndex((word) => /^(?:liegt|liegen|ist|sind|steht|stehen)$/.test(word));
  if (at < 0 || !/^(?:jetzt|nun|ab|bereits)$/.test(words[at + 1] ?? "")) return false;
  if (!hasThing(words.slice(0, at), DEEDS.saved.things)) return false;
  return words[at + 2] === "in" &&
    words.slice(at + 3, at + 8).some((word) => isThing(word, PLACES));
}
