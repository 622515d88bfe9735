/** How claims are made in Portuguese of Brazil: "salvei", "foi salvo", "salvo!", "e-mail enviado para Ana", "a página está no ar". */
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
  lastBefore,
  standsIn,
  wordSet,
  YEAR,
} from "./claim_language.ts";

/** `strong` and `weak` are what the speaker says of himself; participles stand apart. */
interface PortugueseWords extends DeedWords {
  readonly strongDone: ReadonlySet<string>;
  readonly weakDone: ReadonlySet<string>;
  readonly infinitives: ReadonlySet<string>;
}

function words(
  { done, weakDone, infinitives, ...more }: Parameters<typeof deedWords>[0] & {
    readonly done: string;
    readonly weakDone: string;
    readonly infinitives: string;
  },
): PortugueseWords {
  return {
    ...deedWords(more),
    strongDone: inflected(done),
    weakDone: inflected(weakDone),
    infinitives: wordSet(infinitives),
  };
}

/** The four forms of each participle. */
function inflected(stems: string): ReadonlySet<string> {
  return wordSet(
    ...[...wordSet(stems)].map((stem) => ["o", "a", "os", "as"].map((end) => stem + end).join(" ")),
  );
}

const DEEDS: Readonly<Record<DeedKind, PortugueseWords>> = {
  saved: words({
    strong:
      "salvei gravei guardei armazenei exportei arquivei baixei salvamos gravamos guardamos exportamos armazenamos",
    weak:
      `criei gerei fiz montei escrevi atualizei alterei editei adicionei coloquei registrei anotei produzi
      preparei construí modifiquei criamos geramos inseri elaborei`,
    done: "salv gravad guardad armazenad exportad arquivad",
    weakDone:
      "criad gerad atualizad alterad escrit montad editad colocad registrad modificad adicionad",
    infinitives: "salvar gravar guardar exportar escrever criar gerar armazenar",
    things:
      `arquivo arquivos documento documentos página páginas painel dashboard dashboards artefato artefatos
      planilha planilhas pdf csv html pasta gráfico gráficos backup apresentação slides site imagem §file`,
    alsoInAnswers:
      `relatório relatórios anotações nota notas cópia cópias rascunho configurações configuração lista
      receita roteiro tabela resultados resumo tudo`,
  }),
  scheduled: words({
    strong: "agendei reagendei",
    weak:
      "marquei programei configurei coloquei criei adicionei defini ativei deixei registrei cadastrei inseri incluí ajustei",
    done: "agendad reagendad",
    weakDone: "marcad programad criad configurad definid adicionad ativad registrad cadastrad",
    infinitives: "agendar programar marcar",
    things: `lembrete lembretes alarme alarmes briefing tarefa tarefas resumo rotina notificação
      despertador aviso automação`,
    ownThings: "reunião consulta compromisso evento agenda calendário horário visita ligação",
  }),
  sent: words({
    strong: "enviei mandei encaminhei avisei notifiquei reenviei enviamos despachei comuniquei",
    weak: "respondi disparei compartilhei entreguei informei repassei",
    done: "enviad encaminhad reenviad notificad mandad",
    weakDone: "entregue disparad compartilhad repassad",
    infinitives: "enviar mandar encaminhar",
    things:
      `e-mail e-mails email emails mensagem mensagens convite convites notificação notificações
      resposta fatura cópia newsletter carta sms recado comprovante aviso`,
    alsoInAnswers: "relatório resumo lista formulário",
  }),
  published: words({
    strong: "publiquei postei republiquei publicamos",
    weak: "lancei divulguei subi implantei coloquei",
    done: "publicad postad implantad",
    weakDone: "lançad divulgad",
    infinitives: "publicar postar",
    things: `post posts artigo artigos página páginas anúncio blog site matéria versão
      pacote atualização aplicativo tweet novidades`,
    alsoInAnswers: "notas texto relatório resumo",
  }),
};

const ADVERBS = wordSet(
  `já agora também todos todas sucesso com recentemente automaticamente devidamente
  corretamente então finalmente pronto feito ok certo beleza recém tudo sim novamente logo imediatamente`,
);
const BLOCKS = wordSet(
  `não nunca nada nenhum nenhuma sem nem jamais ninguém falhei falha vou vai vamos irei irá
  posso pode podemos poderia podia deveria devia seria teria tinha gostaria quer quero queria preciso precisa será
  serão for forem se quando caso assim enquanto antes até talvez parece provavelmente consegui conseguiu quem`,
);
const REPORTS = wordSet(
  `segundo acordo conforme disse afirmou informou mostra escreveu relatou anunciou explica explicou ontem depois após teriam encontrei acho`,
);
const BE = wordSet("foi foram está estão ficou ficaram sido sendo era estava ser deixei tá");
const PAST_BE = wordSet("foi foram ficou ficaram sido ser deixei");
const AGENTS = wordSet("por pelo pela pelos pelas");
const MEANS = wordSet(
  "e-mail email whatsapp sms mensagem mim correio padrão telefone você aqui enquanto",
);
const FOLLOWS = wordSet(
  "em como no na para pra às ao à sob com o a os as um uma seu sua seus aqui sucesso",
);
const PRONOUNS = wordSet("ele ela eles elas você vocês quem que cujo");
const MONTHS = wordSet(
  `janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro
  dezembro passada passado semana`,
);
const FINITE = wordSet("é são foi foram está estão ficam fica custa custam será serão tem têm");
const PLACES = wordSet("pasta §file diretório drive arquivo");
/** What is done there happens in the answer only. */
const SHOWN = {
  prepositions: wordSet("em no na nos nas num numa"),
  places: wordSet("exemplo exemplos variável trecho captura"),
};
const IN_TEXT = wordSet("abaixo acima");
const SOURCES = wordSet("de do da dos das sobre com");

/** Portuguese of Brazil. */
export const PORTUGUESE: ClaimLanguage = {
  read(clause, context) {
    const { words } = clause;
    // A captured screen or an example may be named before a comma.
    if (standsIn([...context.sentence], SHOWN)) return { claims: [], actor: "blocked" };
    const claims = new Set<DeedKind>();
    let actor: Actor = startActor(clause, context);
    for (let at = 0; at < words.length; at++) {
      if (isBlock(words, at)) actor = "blocked";
      if (actor === "blocked") continue;
      for (const kind of DEED_KINDS) {
        const found = claimAt({ clause, context, at, kind, actor });
        if (found === undefined) continue;
        claims.add(kind);
        actor = found;
      }
      if (isOnAir(words, at, context)) claims.add("published");
      if (isPlaced(words, at)) claims.add("saved");
    }
    if (actor === "unknown" && words.length > 2) actor = "other";
    return { claims: [...claims], actor };
  },
};

function startActor({ joined, words }: Clause, { actor }: ClauseContext): Actor {
  if (joined === "start") return "unknown";
  const first = words.find((word) => !ADVERBS.has(word)) ?? "";
  const isElided = DEED_KINDS.some((kind) =>
    DEEDS[kind].strongDone.has(first) || DEEDS[kind].weakDone.has(first)
  );
  return isElided || BE.has(first) ? actor : "unknown";
}

function isBlock(words: readonly string[], at: number): boolean {
  const word = words[at]!;
  if (word === "assim") return words[at + 1] === "que";
  return BLOCKS.has(word);
}

interface Place {
  readonly clause: Clause;
  readonly context: ClauseContext;
  readonly at: number;
  readonly kind: DeedKind;
  readonly actor: Actor;
}

function claimAt({ clause, context, at, kind, actor }: Place): Actor | undefined {
  const { words } = clause;
  const word = words[at]!;
  const deed = DEEDS[kind];
  if (deed.strong.has(word)) {
    // "Enviei acima três opções"
    return hasOne(words, IN_TEXT) && !hasOne(words, deed.things) ? undefined : "self";
  }
  if (deed.weak.has(word)) return ownsThing(deed, { words, at }) ? "self" : undefined;
  if (deed.infinitives.has(word) && /^acab(?:ei|amos)$/.test(words[at - 2] ?? "")) {
    const isStrong = kind !== "saved" || !/^(?:escrever|criar|gerar)$/.test(word);
    return isStrong || ownsThing(deed, { words, at }) ? "self" : undefined;
  }
  const isStrong = deed.strongDone.has(word);
  if (!isStrong && !deed.weakDone.has(word)) return undefined;
  return doneAt({ clause, context, at, kind, actor }, isStrong);
}

/** A participle: what was done to a thing, by the speaker unless another is named. */
function doneAt(
  { clause: { words, joined }, context, at, kind, actor }: Place,
  isStrong: boolean,
): Actor | undefined {
  const deed = DEEDS[kind];
  if (hasAgent(words, at) || words.some((one) => YEAR.test(one))) return undefined;
  if ((kind === "published" || kind === "sent") && hasOne(words, MONTHS)) return undefined;
  const before = lastBefore(words, at, ADVERBS);
  const previous = words[before] ?? "";
  const subject = words.slice(0, at);
  const things = isStrong ? deed.things : deed.solid;
  const isAbout = hasOne(subject, things) ||
    (subject.length < 3 && hasOne(context.sentence, things));
  if (BE.has(previous)) {
    if (hasOne(context.whole, REPORTS) || hasOne(subject, PRONOUNS)) return undefined;
    if (isAbout) return "passive";
    const isLoose = before <= 0 || /^(?:tudo|isso)$/.test(words[0]!) ||
      (kind !== "sent" && words.slice(0, 2).some((word) => /^(?:seus?|suas?)$/.test(word)));
    return isStrong && PAST_BE.has(previous) && kind !== "scheduled" && isLoose
      ? "passive"
      : undefined;
  }
  if (before < 0) {
    if (joined !== "start" && actor !== "unknown") {
      return actor !== "other" && (isStrong || isAbout) ? actor : undefined;
    }
    const next = words[at + 1];
    if (next !== undefined && !FOLLOWS.has(next) && !next.startsWith("§")) return undefined;
    return isStrong ? "self" : undefined;
  }
  const isHeadline = at <= 5 && !hasOne(words, FINITE) && hasOne(subject, things) &&
    !hasOne(subject, PRONOUNS) &&
    !hasOne(subject, BE) && /^(?:e-mail|email|\p{L}+)$/u.test(previous) &&
    things.has(words[0]!);
  return isHeadline ? "passive" : undefined;
}

function ownsThing(
  { ownThings }: DeedWords,
  { words, at }: { readonly words: readonly string[]; readonly at: number },
): boolean {
  const file = words.indexOf("§file");
  if (file > 0 && ownThings.has("§file") && !SOURCES.has(words[file - 1]!)) return true;
  const behind = words.slice(at + 1);
  if (hasOne(behind, IN_TEXT)) return false;
  return hasOne(behind, ownThings);
}

function hasAgent(words: readonly string[], at: number): boolean {
  const by = words.findIndex((word, place) => place > at && AGENTS.has(word));
  return by >= 0 && words[by + 1] !== undefined && !MEANS.has(words[by + 1]!);
}

/** "O artigo está no ar", "No ar!" */
function isOnAir(
  words: readonly string[],
  at: number,
  { sentence, whole }: ClauseContext,
): boolean {
  const isAir = words[at] === "ar" && (words[at - 1] === "no" || words[at - 1] === "ao");
  if (!isAir && words[at] !== "online") return false;
  if (words.length === (isAir ? 2 : 1)) return true;
  if (words.some((one) => YEAR.test(one))) return false;
  const before = words.slice(0, at);
  return (hasOne(before, BE) || before.includes("entrou")) &&
    hasOne(sentence, DEEDS.published.things) && !hasOne(whole, REPORTS);
}

/** "A receita já está na sua pasta" */
function isPlaced(words: readonly string[], at: number): boolean {
  if (!/^(?:em|na|no|nas|nos)$/.test(words[at]!) || !BE.has(words[at - 1] ?? "")) return false;
  if (!hasOne(words.slice(0, at), DEEDS.saved.things)) return false;
  const isNow = words.includes("já") || words.includes("agora");
  return isNow && hasOne(words.slice(at + 1, at + 6), PLACES);
}
