/** What a program may set about the requests of its scripts. */

/** Options of `fetchCapability` and `httpCapability`. */
export interface FetchOptions {
  /** Wall time of a request that names none, in ms, redirects and body included; never more than what is left of the run. @default 30_000 */
  readonly timeoutMs?: number;
  /** Bytes of a response body at most, counted after decompression. @default 4_194_304 (4 MiB) */
  readonly maxBytes?: number;
  /** Requests of one sandbox that are under way at once; more wait their turn. @default 32 */
  readonly maxConcurrent?: number;
  /**
   * Resolves a name to its addresses, as text. Every one of them is checked. A rejection is a failed request. It is not asked about addresses; the
   * program then needs `--allow-net` for the addresses too. @default the operating system's way
   */
  readonly resolve?: (hostname: string, port: number) => Promise<readonly string[]>;
}
