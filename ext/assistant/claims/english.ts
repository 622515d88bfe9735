/** How claims are made in English: "I've saved it", "the file has been saved", "saved!", "email sent to Ana", "the page is live". */
import {
  type Actor,
  type ClaimLanguage,
  type Clause,
  type ClauseContext,
  type ClauseReading,
  DEED_KINDS,
  type DeedKind,
  type DeedWords,
  deedWords,
  hasOne,
  lastBefore,
  standsIn,
  wordSet,
  YEAR,
} from "./claim_language.ts";

const MADE = `created made generated written wrote built put added updated changed edited prepared
  produced placed recorded uploaded compiled finished assembled drafted laid`;

const DEEDS: Readonly<Record<DeedKind, DeedWords>> = {
  saved: deedWords({
    strong: "saved stored exported archived downloaded",
    weak: MADE,
    things:
      `file files document documents page pages dashboard dashboards artifact artifacts artefact
      spreadsheet spreadsheets pdf csv html folder chart charts backup presentation slides website site
      image screenshot config configuration §file`,
    alsoInAnswers: `report reports notes note copy copies draft settings list recipe itinerary table
      results summary everything`,
  }),
  scheduled: deedWords({
    strong: "scheduled rescheduled",
    weak:
      "set setup created made added put programmed configured arranged booked planned entered activated",
    things: `reminder reminders alarm alarms briefing briefings task tasks job jobs digest timer
      notification notifications automation`,
    ownThings: "meeting appointment event call schedule calendar slot",
  }),
  sent: deedWords({
    strong: "sent emailed e-mailed mailed forwarded messaged texted notified",
    weak: "delivered dispatched submitted informed replied dropped shared",
    things:
      `email e-mail emails mail message messages invitation invitations invite invites notification
      notifications reply invoice copy newsletter letter sms request application`,
    alsoInAnswers: "note form report summary list",
  }),
  published: deedWords({
    strong: "published posted deployed republished",
    weak: "released uploaded pushed launched",
    things: `post posts article articles page pages announcement blog site website story stories
      entry version package update app release tweet thread changelog landing deployment`,
    alsoInAnswers: "notes report summary",
  }),
};

const SELF = wordSet("i we i've we've i'd we'd");
const HAVE = wordSet("have has had 've having");
const BE = wordSet("been is are was were be being got gets it's that's they're everything's i'm");
const ADVERBS = wordSet(`also just now already successfully all then since recently both finally
  gone safely even promptly additionally properly correctly once again fully directly
  immediately simply officially herewith hereby too it's newly freshly quickly done okay ok great sure yes perfect alright right`);
/** These take a clause back whatever follows. */
const BLOCKS = wordSet(
  `not never cannot without neither nor nothing none nobody unable failed no hardly
  will would could should might may must can shall won't wouldn't couldn't shouldn't can't cannot
  didn't haven't hasn't hadn't wasn't weren't isn't aren't don't doesn't ain't i'll we'll you'll it'll he'll
  she'll they'll if when whenever once unless until whether before suppose assuming imagine to let's please
  how ensure verify check maybe perhaps probably possibly`,
);
/** These take only what is said of things back: somebody else says so, or it is yet to come. */
const REPORTS = wordSet(
  `according says said reports reported shows wrote writes explains explained claims claimed announced
   states stated commit mentions mentioned told apparently reportedly after yesterday ago`,
);
/** Words behind "by" that name no other hand. */
const MEANS = wordSet("email e-mail mail message text sms post default me us phone");
/** What follows a deed whose doer is left out. */
const FOLLOWS = wordSet(
  "to as in at under it your the a an for this that them everything all both on with into two three successfully now by via here them",
);
const PREPOSITIONS = wordSet("to as in at under for with on");
const PRONOUNS = wordSet("he she they you who it's him her his their its my which");
/** Subjects of which a deed says enough, where no thing is named; a parcel of "yours" may have been sent by anybody. */
const LOOSE_SUBJECTS: Readonly<Record<DeedKind, ReadonlySet<string>>> = {
  saved: wordSet("your it everything all this that they both these those"),
  scheduled: wordSet(""),
  sent: wordSet("it everything all both"),
  published: wordSet("your it everything all both"),
};
const SAVING = wordSet("saving storing exporting writing");
const GERUNDS: Readonly<Record<DeedKind, ReadonlySet<string>>> = {
  saved: SAVING,
  scheduled: wordSet("scheduling"),
  sent: wordSet("sending emailing forwarding mailing"),
  published: wordSet("publishing posting deploying"),
};
/** Words before a file that something was made from. */
const SOURCES = wordSet("of from about with for using reading");
/** Where in the answer something stands. */
const IN_TEXT = wordSet("below above here");
const WRITTEN = wordSet("below above");
const PLACES = wordSet("folder §file directory drive file");
/** What is done there happens in the answer only. */
const SHOWN = {
  prepositions: wordSet("in within"),
  places: wordSet("example examples snippet variable screenshot"),
};
const FINDINGS = wordSet(
  "found find noticed discovered saw see seen remember know read learned think believe guess assume",
);
/** What happens again and again is no deed. */
const HABITS = wordSet(
  "automatically every always usually often sometimes each regularly typically",
);
const MONTHS = wordSet(`january february march april may june july august september october november
  december last`);
const DEFINITE = wordSet("your the this it everything all that they these both");
const PRESENT = wordSet("is are it's that's they're everything's");

/** English. */
export const ENGLISH: ClaimLanguage = {
  read(clause, context) {
    const { words } = clause;
    if (isShown(words)) return { claims: [], actor: "blocked" };
    const claims = new Set<DeedKind>();
    let actor: Actor = startActor(clause, context);
    for (let at = 0; at < words.length; at++) {
      const word = words[at]!;
      if (isBlock(words, at)) {
        actor = "blocked";
        continue;
      }
      if (SELF.has(word)) actor = actor === "blocked" ? actor : "self";
      if (actor === "blocked") continue;
      for (const kind of DEED_KINDS) {
        const found = claimAt({ clause, context, at, kind, actor });
        if (found === undefined) continue;
        claims.add(kind);
        actor = found;
      }
      if (isState(words, at, context)) claims.add("published");
      if (isOutgoing(words, at, context)) claims.add("sent");
      if (isPlaced(words, at)) claims.add("saved");
    }
    return reading(claims, actor, clause);
  },
};

function reading(claims: ReadonlySet<DeedKind>, actor: Actor, { words }: Clause): ClauseReading {
  const [first = ""] = words;
  const isNamed = actor === "unknown" && (PRONOUNS.has(first) || words.length > 2);
  return { claims: [...claims], actor: isNamed ? "other" : actor };
}

/** A clause that begins without a doer has the one before it. */
function startActor({ joined, words }: Clause, { actor }: ClauseContext): Actor {
  if (joined === "start") return "unknown";
  const [first = ""] = words.filter((word) => !ADVERBS.has(word));
  const isElided = DEED_KINDS.some((kind) =>
    DEEDS[kind].strong.has(first) || DEEDS[kind].weak.has(first)
  );
  if (!isElided) return "unknown";
  return joined === "but" && actor === "blocked" ? "self" : actor;
}

/** "In the example I saved it", but not "I saved it in the example folder" */
function isShown(words: readonly string[]): boolean {
  return standsIn(words, SHOWN) && !hasOne(words, PLACES);
}

function isBlock(words: readonly string[], at: number): boolean {
  const word = words[at]!;
  if (word === "i'd" || word === "we'd") return words[at + 1] === "have";
  // The month.
  if (word === "may" && [words[at - 1], words[at + 1]].some((one) => /^\d/.test(one ?? ""))) {
    return false;
  }
  if (word === "make") return words[at + 1] === "sure";
  if (word === "to") return words[at + 1] === "be" || at === 0;
  return BLOCKS.has(word) && !(word === "once" && words[at + 1] === "again");
}

interface Place {
  readonly clause: Clause;
  readonly context: ClauseContext;
  readonly at: number;
  readonly kind: DeedKind;
  readonly actor: Actor;
}

/** Who did the deed that a word may be, where it is a claim. */
function claimAt({ clause, context, at, kind, actor }: Place): Actor | undefined {
  const { words, joined } = clause;
  const word = words[at]!;
  const deed = DEEDS[kind];
  const before = lastBefore(words, at, ADVERBS);
  const previous = words[before] ?? "";
  const isSelf = SELF.has(previous) ||
    (HAVE.has(previous) && SELF.has(words[lastBefore(words, before, ADVERBS)] ?? ""));
  if (isSelf && word === "let" && words.includes("know") && words[at + 1] !== "you") {
    return kind === "sent" ? "self" : undefined;
  }
  if (GERUNDS[kind].has(word) && (previous === "finished" || previous === "completed")) {
    return "self";
  }
  const isStrong = deed.strong.has(word);
  if (!isStrong && !deed.weak.has(word)) return undefined;
  if (/^(?:nothing|none|no)$/.test(words[at + 1] ?? "")) return undefined;
  // "I sent you three options above"
  if (isSelf && isStrong && hasOne(words, WRITTEN) && !hasOne(words, deed.things)) return undefined;
  if (isSelf) return isStrong || ownsThing(deed, { words, at, context }) ? "self" : undefined;
  if (BE.has(previous)) return passiveAt({ clause, context, at, kind, actor }, isStrong);
  if (before >= 0) {
    return isHeadline(words, { at, things: isStrong ? deed.things : deed.solid })
      ? "passive"
      : undefined;
  }
  // Nothing stands before it: the doer is left out.
  const next = words[at + 1];
  if (joined !== "start" && actor !== "unknown") {
    if (actor === "other") return undefined;
    const isAlone = next === undefined || PREPOSITIONS.has(next);
    const isOf = isStrong || hasOne(words, deed.ownThings) ||
      (isAlone && hasOne(context.sentence, deed.solid));
    return isOf ? actor : undefined;
  }
  if (next !== undefined && !FOLLOWS.has(next) && !next.startsWith("§")) return undefined;
  if (hasAgent(words, at) || words.some((one) => YEAR.test(one))) return undefined;
  return isStrong || ownsThing(deed, { words, at, context }) ? "self" : undefined;
}

function passiveAt(
  { clause: { words }, context, at, kind }: Place,
  isStrong: boolean,
): Actor | undefined {
  const deed = DEEDS[kind];
  const subject = words.slice(0, at);
  const things = isStrong ? deed.things : deed.solid;
  if (hasAgent(words, at) || hasOne(context.whole, REPORTS)) return undefined;
  if (hasOne(subject, FINDINGS)) return undefined;
  if (kind !== "scheduled" && hasOne(words, HABITS)) return undefined;
  if ((kind === "published" || kind === "sent") && hasOne(words, MONTHS)) return undefined;
  if (!isDone(words, { at, kind })) return undefined;
  if (hasOne(subject, PRONOUNS) || words.some((one) => YEAR.test(one))) return undefined;
  const isAbout = hasOne(subject, things) ||
    (subject.length < 3 && hasOne(context.sentence, things));
  if (isAbout) return "passive";
  return isStrong && LOOSE_SUBJECTS[kind].has(subject[0] ?? "") ? "passive" : undefined;
}

/** "Messages are sent" tells what always happens, "your notes are now stored" what was done. */
function isDone(
  words: readonly string[],
  { at, kind }: { readonly at: number; readonly kind: DeedKind },
): boolean {
  const aux = words[lastBefore(words, at, ADVERBS)] ?? "";
  if (!PRESENT.has(aux)) return true;
  if (kind === "sent") return false;
  const isNow = words.includes("now") || words.includes("already");
  const [first = ""] = words.filter((word) => !ADVERBS.has(word));
  if (isNow || first === "your") return true;
  return DEFINITE.has(first) && aux !== "are" && words[at] !== "stored";
}

/** "Email sent to Ana": a thing and what became of it, and no verb. */
function isHeadline(
  words: readonly string[],
  { at, things }: { readonly at: number; readonly things: ReadonlySet<string> },
): boolean {
  const before = words.slice(0, at);
  const next = words[at + 1] ?? "";
  const behind = words.slice(at + 1);
  // "Files stored on the disk are encrypted", "each message sent costs"
  if (hasOne(behind, BE) || hasOne(behind, HAVE) || hasOne(before, HABITS)) return false;
  if (/[^s]s$/.test(words[at - 1] ?? "") && behind.length > 3) return false;
  return at <= 5 && hasOne(before, things) && !hasOne(before, PRONOUNS) &&
    !hasOne(before, HAVE) && !hasOne(before, BE) && !hasOne(before, SELF) &&
    !/^(?:the|a|an|his|its|her|their|me|us|you|my)$/.test(next) && !hasAgent(words, at);
}

/** Whether a weak verb has its thing: behind it or before it, and none that only stands in the answer. */
function ownsThing(
  { ownThings }: DeedWords,
  { words, at, context: { sentence } }: Pick<Place, "at" | "context"> & {
    readonly words: readonly string[];
  },
): boolean {
  const file = words.indexOf("§file");
  if (file > 0 && ownThings.has("§file") && !SOURCES.has(words[file - 1]!)) return true;
  const relative = words.findIndex((word, place) =>
    place > at && /^(?:that|which|who)$/.test(word)
  );
  const behind = words.slice(at + 1, relative < 0 ? undefined : relative);
  if (hasOne(behind, IN_TEXT)) return false;
  const isReferred = behind.includes("it") && words.length <= 8;
  return hasOne(isReferred ? sentence : behind, ownThings);
}

function hasAgent(words: readonly string[], at: number): boolean {
  const by = words.indexOf("by", at);
  return by >= 0 && words[by + 1] !== undefined && !MEANS.has(words[by + 1]!);
}

/** "The page is live", "Live!" */
function isState(
  words: readonly string[],
  at: number,
  { sentence, whole }: ClauseContext,
): boolean {
  if (words[at] !== "live" && words[at] !== "online") return false;
  if (words.length === 1 || (words.length === 2 && words[0] === "now")) return true;
  if (words.some((one) => YEAR.test(one))) return false;
  const previous = words[lastBefore(words, at, ADVERBS)] ?? "";
  return (BE.has(previous) || previous === "went") && hasOne(sentence, DEEDS.published.things) &&
    !hasOne(whole, REPORTS);
}

/** "The notification has gone out" */
function isOutgoing(
  words: readonly string[],
  at: number,
  { sentence, whole }: ClauseContext,
): boolean {
  return words[at] === "out" && (words[at - 1] === "gone" || words[at - 1] === "went") &&
    hasOne(sentence, DEEDS.sent.things) && !hasOne(whole, REPORTS);
}

/** "The recipe is now in your folder" */
function isPlaced(words: readonly string[], at: number): boolean {
  if (words[at] !== "in" || !BE.has(words[lastBefore(words, at, ADVERBS)] ?? "")) return false;
  if (!hasOne(words.slice(0, at), DEEDS.saved.things)) return false;
  const behind = words.slice(at + 1, at + 6);
  return words.includes("now") && hasOne(behind, PLACES);
}
