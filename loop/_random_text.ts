/** Random texts for property tests: repeatable from a seed, and made of the pieces that parsers stumble over. */

/** A repeatable source of numbers in [0, 1) (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Pieces of replies, whole and broken. */
export const REPLY_PIECES: readonly string[] = [
  ..."` `` ``` ```` ~~~ ~~~~ ```js ```javascript ```JS ~~~js ```python ```json".split(" "),
  ..."<think> </think> <thinking> </thinking> <reasoning> </reasoning> <thi </ <".split(" "),
  ..."function run( ) { } async const run = () => answer( log( return / /* */ // ' \" \\ ${ DONE"
    .split(
      " ",
    ),
  ...[
    "\n",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    " ",
    "   ",
    "    ",
    "\t",
    "\u2028",
    "\0",
    "\ud83d",
    "🎉",
    "é",
  ],
  ...["word", "1", "function run(args) { return 1; }", "```js\nfunction run() {}\n```\n"],
];

/** A text of up to `maxPieces` pieces. */
export function randomText(
  random: () => number,
  { pieces = REPLY_PIECES, maxPieces = 40 }: { pieces?: readonly string[]; maxPieces?: number } =
    {},
): string {
  let text = "";
  for (let left = Math.floor(random() * (maxPieces + 1)); left > 0; left--) {
    text += pieces[Math.floor(random() * pieces.length)];
  }
  return text;
}
