/** The check on claims: what an answer says was done is held against the calls of its session. Reads the audit log and nothing else; asks no model. */
import type { CallLog } from "../../contracts/call_log.ts";
import { refuseUnknown } from "../../contracts/known_names.ts";
import type { AnswerReview, AnswerToReview } from "../../contracts/review.ts";
import { findAddresses } from "./claims/find_addresses.ts";
import { type ClaimLanguageName, findClaims } from "./claims/find_claims.ts";
import { DEED_KINDS, type DeedKind } from "./claims/claim_language.ts";
import { languageOf, tellOfClaims, type Unproven, warnOfClaims } from "./claim_words.ts";
import { type DeedMap, DEFAULT_DEEDS, showsDeed } from "./deeds.ts";

/** Says whether an address is one that was really given; asked for each address of an answer. What it throws fails the run. */
export type IsKnownAddress = (
  address: string,
  answer: Pick<AnswerToReview, "sessionId" | "scope" | "userId" | "signal">,
) => boolean | Promise<boolean>;

/** How claims are checked. */
export interface ClaimReviewOptions {
  /** Which calls show which deed. A kind that is left out is as by default. @default DEFAULT_DEEDS */
  readonly deeds?: Partial<DeedMap>;
  /** Whether an artifact has such an address, which is asked whole: `/artifacts/1234/news.html`. @default none has */
  readonly isKnownAddress?: IsKnownAddress;
  /** Where artifacts are served: an address that begins with one of these is asked about without it, such as `http://127.0.0.1:8787`. @default none */
  readonly origins?: readonly string[];
}

const OPTIONS: Readonly<Record<keyof ClaimReviewOptions, true>> = {
  deeds: true,
  isKnownAddress: true,
  origins: true,
};

const KINDS: Readonly<Record<DeedKind, true>> = {
  saved: true,
  scheduled: true,
  sent: true,
  published: true,
};

/** Rows of the log that are read at once. */
const PIECE = 500;
/** Addresses of one answer that are asked about; what is more is not known. */
const MAX_ADDRESSES = 64;

/**
 * A review for `reviewAnswer` of `createLoop`. It objects to an answer which says, in English, Portuguese or German, that something was saved, scheduled, sent or published
 * although no call of the session that ended well did such a thing, and to one that names an address of an artifact that is not known.
 *
 * @throws {TypeError} when an option is not what it should be, or there is no such option or kind of deed.
 */
export function reviewClaims(options: ClaimReviewOptions = {}): AnswerReview {
  refuseUnknown("reviewClaims", options, OPTIONS);
  const { isKnownAddress, origins = [] } = options;
  refuseUnknown("reviewClaims: deeds", options.deeds ?? {}, KINDS);
  const deeds: DeedMap = { ...DEFAULT_DEEDS, ...options.deeds };
  check({ isKnownAddress, deeds });
  return async (answer) => {
    const claims = findClaims(answer.text);
    const unproven: Unproven = {
      kinds: await unprovenKinds(claims.map(({ kind }) => kind), { answer, deeds }),
      addresses: await unknownAddresses(answer, { isKnownAddress, origins }),
    };
    if (unproven.kinds.length + unproven.addresses.length === 0) return undefined;
    const claimed = claims.find(({ kind }) => unproven.kinds.includes(kind));
    const language: ClaimLanguageName = claimed?.language ?? languageOf(answer.text);
    return {
      tell: tellOfClaims(unproven),
      warning: warnOfClaims(unproven, language),
      claims: [...unproven.kinds, ...(unproven.addresses.length === 0 ? [] : ["address"])],
    };
  };
}

function check(
  { isKnownAddress, deeds }: {
    readonly isKnownAddress: unknown;
    readonly deeds: DeedMap;
  },
): void {
  if (isKnownAddress !== undefined && typeof isKnownAddress !== "function") {
    throw new TypeError("reviewClaims: isKnownAddress must be a function");
  }
  for (const kind of DEED_KINDS) {
    if (Array.isArray(deeds[kind])) continue;
    throw new TypeError(`reviewClaims: deeds.${kind} must be a list of names and functions`);
  }
}

/** The kinds that no row shows. The log is read in pieces, and only as far as it takes. */
async function unprovenKinds(
  claimed: readonly DeedKind[],
  { answer, deeds }: { readonly answer: AnswerToReview; readonly deeds: DeedMap },
): Promise<readonly DeedKind[]> {
  let open = [...claimed];
  for await (const row of rowsOf(answer.calls, answer.sessionId, () => open.length > 0)) {
    open = open.filter((kind) => !showsDeed(row, deeds[kind]));
  }
  return open;
}

async function* rowsOf(calls: CallLog, sessionId: string, isWanted: () => boolean) {
  for (let after = 0; isWanted();) {
    const rows = await calls.calls(sessionId, { after, limit: PIECE });
    yield* rows;
    if (rows.length < PIECE) return;
    after = rows.at(-1)!.id;
  }
}

async function unknownAddresses(
  answer: AnswerToReview,
  { isKnownAddress, origins }: {
    readonly isKnownAddress: IsKnownAddress | undefined;
    readonly origins: readonly string[];
  },
): Promise<readonly string[]> {
  const unknown: string[] = [];
  for (const [at, address] of findAddresses(answer.text).entries()) {
    const isKnown = at < MAX_ADDRESSES && isKnownAddress !== undefined &&
      await isKnownAddress(withoutOrigin(address, origins), answer);
    if (!isKnown) unknown.push(address);
  }
  return unknown;
}

function withoutOrigin(address: string, origins: readonly string[]): string {
  const origin = origins.map((one) => one.replace(/\/$/, ""))
    .find((one) => one !== "" && address.startsWith(`${one}/`));
  return origin === undefined ? address : address.slice(origin.length);
}
