/**
 * What a model says, without the thoughts that it wrote before it: a draft among them is no answer. Pure.
 */

const OPENING = /^\s*<(think|thinking|reasoning)>/i;
/** A tag that stands at the beginning or the end of a line, as the end of a section does; one within a line may be spoken of. */
const LONE_CLOSING =
  /^[ \t]*<\/(?:think|thinking|reasoning)>|<\/(?:think|thinking|reasoning)>[ \t]*$/im;

/** The text behind the sections of thoughts at the head of a reply, whose opening tag may be missing; nothing where they do not end. */
export function visibleText(reply: string): string | undefined {
  let rest = reply;
  for (;;) {
    const [opening, name] = OPENING.exec(rest) ?? [];
    if (opening === undefined) break;
    const closing = new RegExp(`</${name}>`, "i").exec(rest);
    if (closing === null) return undefined;
    rest = rest.slice(closing.index + closing[0].length).trimStart();
  }
  const lone = rest === reply ? LONE_CLOSING.exec(rest) : null;
  return lone === null ? rest : rest.slice(lone.index + lone[0].length).trimStart();
}
