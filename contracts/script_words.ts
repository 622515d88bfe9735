/** Names that scripts need for themselves, so that nothing that they can call has one of them. */

/** Words of the language, some of which read like a call and are none (`delete(…)`), names that the realm itself defines, and those of the language's own objects. */
export const SCRIPT_WORDS: ReadonlySet<string> = new Set(
  ("answer arguments await break case catch class console const continue debugger default delete do else enum eval export extends false finally for " +
    "function if implements import in instanceof interface let log new null package private protected public return run sleep static super switch this " +
    "throw true try typeof undefined var void while with yield __proto__ Array ArrayBuffer Atomics BigInt Boolean DataView Date Error EvalError Function " +
    "Infinity Intl Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set String Symbol SyntaxError TypeError " +
    "URIError WeakMap WeakRef WeakSet decodeURI decodeURIComponent encodeURI encodeURIComponent escape globalThis isFinite isNaN parseFloat parseInt unescape")
    .split(" "),
);
