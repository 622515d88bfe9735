import { deepEqual, equal } from "node:assert/strict";
import type { Message } from "../contracts/model.ts";
import { cutAt, isScript } from "./cut_history.ts";
import { elideScript } from "./elide.ts";

const SCRIPT = "```javascript\nfunction run() {}\n```";

/** A history from a line of letters: u message, s script, l old script's line, r result, a answer. */
function history(letters: string): Message[] {
  return [...letters].map((letter): Message => {
    switch (letter) {
      case "s":
        return { role: "assistant", content: SCRIPT };
      case "l":
        return { role: "assistant", content: elideScript("function run() {}") };
      case "a":
        return { role: "assistant", content: "It is 4." };
      default:
        return { role: "user", content: letter };
    }
  });
}

function cut(letters: string, keep: number, maxKept = Infinity): string {
  const messages = history(letters);
  const at = cutAt(messages, { keep, maxKept, sizeOf: () => 1 });
  return `${letters.slice(0, at)}|${letters.slice(at)}`;
}

Deno.test("cut history: scripts are told from answers, old ones too", () => {
  deepEqual(history("uslra").map(isScript), [false, true, true, false, false]);
});

Deno.test("cut history: so many messages are kept, and a few more where no cut is possible", () => {
  equal(cut("usrauaua", 2), "usraua|ua");
  equal(cut("usrauaua", 3), "usra|uaua");
  equal(cut("uslrsrau", 4), "uslr|srau");
  equal(cut("uslrsrau", 3), "uslr|srau");
});

Deno.test("cut history: no script is parted from its result, no answer from what it answers", () => {
  for (let keep = 0; keep <= 14; keep++) {
    const [, kept = ""] = cut("usrausrlrauaua", keep).split("|");
    equal(/^[ra]/.test(kept), false, `kept ${kept}`);
  }
});

Deno.test("cut history: when the first possible cut is later than wanted, it is taken", () => {
  equal(cut("usr", 3), "u|sr");
  equal(cut("ua", 1), "ua|");
  equal(cut("", 4), "|");
});

Deno.test("cut history: what is kept stays within its size, to nothing if need be", () => {
  equal(cut("usrauaua", 6, 4), "usra|uaua");
  equal(cut("usrauaua", 6, 1), "usrauaua|");
});
