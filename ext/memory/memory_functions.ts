/** What `remember`, `recall` and `forget` do, whichever way they were called. Whether a call may happen is for the gate; what a fact may be, for the store. */
import type { Fact, FactOwner, FactStore, NewFact } from "../../contracts/fact.ts";
import type { CallContext } from "../../contracts/sandbox.ts";

/** A fact as scripts and models get it. */
export interface ShownFact {
  /** What `forget` takes. */
  readonly id: string;
  /** What was remembered. */
  readonly text: string;
  /** Its tags; left out where there are none. */
  readonly tags?: readonly string[];
  /** The day on which it was last remembered, `2026-01-31`. */
  readonly on: string;
}

/** Keeps a fact of whoever the run is for, without the secrets that the run knows. Gives its id. */
export async function rememberFact(
  facts: FactStore,
  { text, tags = [] }: NewFact,
  context: CallContext,
): Promise<string> {
  const clean = { text: context.redact(text), tags: tags.map((tag) => context.redact(tag)) };
  return (await facts.remember(ownerOf(context), clean)).id;
}

/** What a query finds among the facts of whoever the run is for. */
export async function recallFacts(
  facts: FactStore,
  { query, limit }: { readonly query: string; readonly limit?: number | undefined },
  context: CallContext,
): Promise<ShownFact[]> {
  const options = limit === undefined ? {} : { limit };
  return (await facts.recall(ownerOf(context), query, options)).map(shown);
}

/** Removes a fact of whoever the run is for; false when there is none of this id. */
export async function forgetFact(
  facts: FactStore,
  id: string,
  context: CallContext,
): Promise<boolean> {
  return await facts.forget(ownerOf(context), id);
}

function ownerOf({ scope, userId }: CallContext): FactOwner {
  return {
    ...(scope === undefined ? {} : { scope }),
    ...(userId === undefined ? {} : { userId }),
  };
}

function shown({ id, text, tags, createdAt }: Fact): ShownFact {
  const on = createdAt.toISOString().slice(0, 10);
  return { id, text, ...(tags.length === 0 ? {} : { tags }), on };
}
