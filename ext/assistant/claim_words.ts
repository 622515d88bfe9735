/** What is said of claims that nothing shows: to the model in English, to the user in the language of the answer. Pure. */
import type { DeedKind } from "./claims/claim_language.ts";
import type { ClaimLanguageName } from "./claims/find_claims.ts";

/** What an answer says and nothing shows. */
export interface Unproven {
  readonly kinds: readonly DeedKind[];
  /** Addresses that no call gave. */
  readonly addresses: readonly string[];
}

/** So many addresses are told, and so much of each. */
const MAX_ADDRESSES = 3;
const MAX_ADDRESS_LENGTH = 120;

/** What the model is told. */
export function tellOfClaims({ kinds, addresses }: Unproven): string {
  const said = [
    ...(kinds.length === 0 ? [] : [`says that something was ${kinds.join(", ")}`]),
    ...(addresses.length === 0 ? [] : [`names ${shownAddresses(addresses)}`]),
  ].join(" and ");
  return `[Your answer was not shown to the user. It ${said}, but no successful call of this session did that. Make the call now and answer after it; or answer without the claim, and say what was not done. Speak of what others did as theirs.]`;
}

const WARNINGS: Readonly<
  Record<
    ClaimLanguageName,
    {
      readonly kinds: Readonly<Record<DeedKind, string>>;
      readonly and: string;
      readonly deeds: (kinds: string) => string;
      readonly addresses: (addresses: string) => string;
    }
  >
> = {
  en: {
    kinds: { saved: "saved", scheduled: "scheduled", sent: "sent", published: "published" },
    and: " or ",
    deeds: (kinds) =>
      `this answer says that something was ${kinds}, but no call in this session did that`,
    addresses: (addresses) => `no call gave the address ${addresses}`,
  },
  pt: {
    kinds: { saved: "salvo", scheduled: "agendado", sent: "enviado", published: "publicado" },
    and: " ou ",
    deeds: (kinds) =>
      `esta resposta diz que algo foi ${kinds}, mas nenhuma chamada desta sessão fez isso`,
    addresses: (addresses) => `nenhuma chamada forneceu o endereço ${addresses}`,
  },
  de: {
    kinds: {
      saved: "gespeichert",
      scheduled: "eingeplant",
      sent: "gesendet",
      published: "veröffentlicht",
    },
    and: " oder ",
    deeds: (kinds) =>
      `diese Antwort sagt, dass etwas ${kinds} wurde, aber kein Aufruf dieser Sitzung hat das getan`,
    addresses: (addresses) => `kein Aufruf hat die Adresse ${addresses} geliefert`,
  },
};
const HEADS: Readonly<Record<ClaimLanguageName, string>> = {
  en: "Warning",
  pt: "Aviso",
  de: "Warnung",
};

/** What the user reads behind the answer. */
export function warnOfClaims({ kinds, addresses }: Unproven, language: ClaimLanguageName): string {
  const words = WARNINGS[language];
  const parts = [
    ...(kinds.length === 0
      ? []
      : [words.deeds(kinds.map((kind) => words.kinds[kind]).join(words.and))]),
    ...(addresses.length === 0 ? [] : [words.addresses(shownAddresses(addresses))]),
  ];
  return `[${HEADS[language]}: ${parts.join("; ")}.]`;
}

function shownAddresses(addresses: readonly string[]): string {
  const shown = addresses.slice(0, MAX_ADDRESSES).map((address) =>
    address.length > MAX_ADDRESS_LENGTH ? `${address.slice(0, MAX_ADDRESS_LENGTH)}…` : address
  );
  return [...shown, ...(addresses.length > MAX_ADDRESSES ? ["…"] : [])].join(", ").toWellFormed();
}

const COMMON: Readonly<Record<ClaimLanguageName, ReadonlySet<string>>> = {
  en: new Set(["the", "is", "at", "your", "you", "of", "and", "here", "it"]),
  pt: new Set(["o", "em", "seu", "sua", "você", "está", "aqui", "da", "do", "e", "uma", "para"]),
  de: new Set(["der", "die", "das", "ist", "dein", "deine", "unter", "und", "hier", "du", "sie"]),
};
/** So much of a text is looked at to tell its language. */
const SAMPLE = 2000;

/** The language that most of a text's small words are of; English where there are none. */
export function languageOf(text: string): ClaimLanguageName {
  const words = text.slice(0, SAMPLE).toLowerCase().match(/\p{L}+/gu) ?? [];
  const counts = (Object.keys(COMMON) as ClaimLanguageName[]).map((language) => ({
    language,
    count: words.filter((word) => COMMON[language].has(word)).length,
  }));
  return counts.reduce((best, one) => one.count > best.count ? one : best).language;
}
