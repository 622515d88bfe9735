/** What a search engine is to this folder: an aim that a policy can judge, and a function that searches. */

/** One result. */
export interface SearchResult {
  /** The page's title. */
  readonly title: string;
  /** Its address. */
  readonly url: string;
  /** What the engine shows of it. */
  readonly snippet: string;
}

/** What is searched with beside the words. */
export interface SearchOptions {
  /** Results at most. */
  readonly limit: number;
  /** Ends the search. */
  readonly signal: AbortSignal;
  /** A tag such as `en` or `pt-BR`. @default the engine's own */
  readonly language?: string;
}

/** A search engine. */
export interface SearchProvider {
  /** What a policy and a person are shown: the host that queries go to, with its port where that is not the usual one. */
  readonly target: string;
  /**
   * Searches, best results first. Results may come as the engine writes them, with markup and in any number: whoever calls cleans and bounds them. What it throws is shown
   * to the model, message only: it should say what the model, or whoever runs the engine, can do.
   */
  search(query: string, options: SearchOptions): Promise<readonly SearchResult[]>;
}
