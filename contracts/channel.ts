/** Where what is due is delivered to. */

/** What a channel delivers. */
export interface ChannelMessage {
  /** Names the delivery: the same for each attempt at it, another for everything else. Whoever gets a message twice can tell by it. */
  readonly id: string;
  /** `message`: the text of a task; `answer`: what a run answered; `notice`: what became of a task, where that is to be told. */
  readonly kind: "message" | "answer" | "notice";
  /** The task. */
  readonly taskId: string;
  /** The session that it belongs to. */
  readonly sessionId: string;
  /** Its title, where it has one. */
  readonly title?: string;
  /** What is delivered. Written by a model or its user: clean it for where it goes. */
  readonly text: string;
  /** The time zone of the task: a name of the IANA database. */
  readonly zone: string;
  /** When it was due. */
  readonly dueAt: Date;
  /** How much later it is delivered, in ms; 0 where it is on time. */
  readonly lateMs: number;
  /** Further occurrences of the task that came due before this one was done, and are not made up for. */
  readonly missed: number;
  /** The instant of this attempt. */
  readonly at: Date;
}

/** How a delivery went. */
export type Delivery =
  | { readonly ok: true }
  | {
    readonly ok: false;
    /** Why, in a sentence. */
    readonly reason: string;
    /** Another attempt may help, and does no harm. */
    readonly retry: boolean;
    /** How long to wait before it, in ms. */
    readonly retryAfterMs?: number;
    /** What it goes to is busy, and nothing was tried: with `retry`, this is no attempt, and there are as many as it takes. @default false */
    readonly busy?: boolean;
  };

/** A way to whoever is to be told. */
export interface Channel {
  /** The name that tasks know it by. */
  readonly name: string;
  /** Delivers. What it throws counts as a failure that may be tried again. */
  deliver(message: ChannelMessage, options: { readonly signal: AbortSignal }): Promise<Delivery>;
  /** Whether a message got there, asked when the program that delivered it was lost. @default it cannot be told */
  hasDelivered?(message: Pick<ChannelMessage, "id" | "sessionId">): Promise<boolean>;
}
