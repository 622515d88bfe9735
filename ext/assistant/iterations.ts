/** A number that others show without loading the rest. */

/** Model calls of one run of an assistant at most, unless told otherwise. */
export const DEFAULT_ASSISTANT_ITERATIONS = 5;
