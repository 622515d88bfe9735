/**
 * What folds old history into summaries: the model of the runs writes them.
 */
import type { Client } from "../contracts/model.ts";
import type { Profile } from "../loop/profile.ts";
import { SummarizingCompactor } from "../loop/summarizing_compactor.ts";

/** Makes the compactor, with the knobs that fit the model's window where that is known. */
export function compactorFor(
  { client, model, profile }: {
    readonly client: Client;
    readonly model: string | undefined;
    readonly profile: Profile;
  },
): SummarizingCompactor {
  return new SummarizingCompactor({
    llm: client,
    trigger: profile.compactTrigger,
    keep: profile.compactKeep,
    budget: profile.summarizeBudget,
    ...(model === undefined ? {} : { model }),
  });
}
