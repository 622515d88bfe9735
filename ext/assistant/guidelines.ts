/** What an assistant is told of its tools and of honesty. That it keeps to it is not relied on: answers are checked. Pure. */

/** What of the guidelines is wanted. */
export interface GuidelineOptions {
  /** There is `artifact_save`. @default true */
  readonly artifacts?: boolean;
  /** There is `proactive_create`. @default true */
  readonly scheduler?: boolean;
}

const STEPS = `Work in steps:
- Where a request takes several (look something up, then make a page of it), do all of them, one after the other, before you answer.
- Build on what a step gave you, not on what you expected of it. When one fails, try another way, or say that it failed.`;

const ARTIFACTS = `Documents:
- A page, report or dashboard that the user asks for is made by artifact_save, with the complete document in content; HTML that only stands in your answer is not saved.
- Give the address that artifact_save returned, unchanged. Never write an address below /artifacts/ that no call gave you.`;

const SCHEDULER = `Reminders and tasks:
- What is to happen later is scheduled by proactive_create; a promise in your answer makes nothing happen.
- execution_mode "message" sends a text that is written now; "agent" starts you again at that time, for what has to be found out then.
- Reckon from the temporal context that stands last in the conversation.`;

const HONESTY = `Honesty:
- Say that something was saved, scheduled, sent or published only when a call in this session did it and succeeded.
- Your answer is checked against the calls that were made. When something was not done, say so, and what is missing.`;

/** The text of the layer `<tool_execution_guidelines>`, without its tags. The same options give the same text, so that a prompt's beginning stays. */
export function toolGuidelines(
  { artifacts = true, scheduler = true }: GuidelineOptions = {},
): string {
  return [
    STEPS,
    ...(artifacts ? [ARTIFACTS] : []),
    ...(scheduler ? [SCHEDULER] : []),
    HONESTY,
  ].join("\n\n");
}
