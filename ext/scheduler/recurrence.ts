/**
 * When a recurring task is due: its rule's wall-clock times, each once, as instants of its zone. The one place where rules and zones meet.
 */
import type { NewTask } from "../../contracts/schedule.ts";
import { wallTimeOf } from "./time_text.ts";
import type { WallRule } from "./wall_rule.ts";
import { instantOf, wallOf } from "./zoned_time.ts";

/** A task's rule. */
export type TaskRule = Pick<NewTask, "kind" | "rule" | "zone" | "startsAt">;

/**
 * Wall-clock times that are looked at for one instant. A zone can skip or repeat a day at most, which has 1440 minutes.
 */
const MAX_LOOKS = 4000;

/** When something is due, again and again. */
export interface Recurrence {
  /** The first instant that is later than another; absent when there is none. */
  next(after: Date): Date | undefined;
}

/**
 * Reads a task's rule. The packages that do it are loaded with the first one. For `once` there is no next instant.
 *
 * @throws {RangeError} when the rule is none.
 */
export async function openRecurrence(task: TaskRule): Promise<Recurrence> {
  switch (task.kind) {
    case "once":
      return { next: () => undefined };
    case "cron": {
      const { cronRule } = await import("./cron_rule.ts");
      return inZone(cronRule(task.rule), task.zone);
    }
    case "rrule": {
      const { recurrenceRule } = await import("./recurrence_rule.ts");
      const start = wallTimeOf(task.startsAt ?? "");
      return inZone(recurrenceRule(task.rule, { zone: task.zone, start }), task.zone);
    }
  }
}

function inZone(rule: WallRule, zone: string): Recurrence {
  return {
    next(after) {
      let wall: Date | undefined = wallOf(after, zone);
      for (let looks = 0; looks < MAX_LOOKS; looks++) {
        wall = rule.next(wall);
        // Beyond it dates have no common form, and some no form at all.
        if (wall === undefined || wall.getUTCFullYear() > 9999) return undefined;
        const { at } = instantOf(wall, zone);
        // What the zone repeats was due the first time, and what it skips is due together behind the gap.
        if (at > after) return at;
      }
      return undefined;
    },
  };
}
