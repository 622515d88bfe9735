/** The tenant boundary that a run executes under. Every capability filters what it touches by it. */
export interface Scope {
  /** The tenant. */
  readonly workspaceId: string;
  /** Narrows the scope to one project of the tenant. */
  readonly projectId?: string;
}
