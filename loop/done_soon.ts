/**
 * Whether work is done without anything else having its turn: so many promises that follow on one another are waited for, and nothing outside of them. For what would be begun only because something
 * has to be waited for.
 */
export async function isDoneSoon(work: Promise<unknown>, hops: number): Promise<boolean> {
  let isDone = false;
  const done = () => isDone = true;
  work.then(done, done);
  for (let hop = 0; hop < hops && !isDone; hop++) await undefined;
  return isDone;
}
