/** What a rule of recurrence is once its text was read: a calendar of wall-clock times, without zones. */
import type { WallDate } from "./zoned_time.ts";

/** Wall-clock times that recur. */
export interface WallRule {
  /** The first of them that is later than a time; absent when there is none. */
  next(after: WallDate): WallDate | undefined;
}
