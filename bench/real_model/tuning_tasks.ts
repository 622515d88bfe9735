/**
 * Five tasks for tuning the system prompt, the observations and the digest. They ask for the same kinds of work as the ten of tasks.ts
 * on other data, so that what is learnt here is not learnt from the tasks that are measured.
 */
import { missingNumbers, wrongGroups } from "./check_text.ts";
import { dataCapability, dataFunction, type Task } from "./task.ts";

/** The five tuning tasks. */
export const TUNING_TASKS: readonly Task[] = [
  {
    name: "prime-sum",
    message:
      "Which of these numbers are prime: 21, 37, 51, 59, 77, 83, 91, 97, 101, 119, 127, 133? Give me the sum of the primes.",
    check: (text) => missingNumbers(text, [504]),
  },
  {
    name: "stock-value",
    message:
      "Use listStock(). Look only at items whose quantity is below their minimum. How many are there, and what would it cost to fill " +
      "all of them up to their minimum?",
    capability: dataCapability("stock", {
      prompt:
        "declare function listStock(): { item: string; quantity: number; minimum: number; price: number }[];",
      functions: [dataFunction("listStock", () => stock())],
    }),
    check: (text) => missingNumbers(text, [14, 1714]),
  },
  {
    name: "durations",
    message:
      "These are the lengths of some recordings as hours:minutes: 1:45, 0:38, 2:07, 0:59, 3:16, 1:24, 0:47, 2:33. " +
      "How many minutes are they together?",
    check: (text) => missingNumbers(text, [809]),
  },
  {
    name: "votes",
    message: "Use readBallots(). How many votes did each of the colours get?",
    capability: dataCapability("ballots", {
      prompt:
        "/** One text, ballots separated by commas, in mixed case and with stray spaces, such as: Red, blue ,GREEN */\n" +
        "declare function readBallots(): string;",
      functions: [dataFunction("readBallots", () => ballots())],
    }),
    check: (text) => wrongGroups(text, { red: 27, blue: 28, green: 15 }),
  },
  {
    name: "file-totals",
    message:
      "listFiles() gives the names of some files, readFile(name) the text of one, with one number on each line. " +
      "What is the sum of all numbers in all files?",
    capability: dataCapability("files", {
      prompt: "declare function listFiles(): string[];\n" +
        "/** Throws when there is no such file. */\ndeclare function readFile(name: string): string;",
      functions: [
        dataFunction("listFiles", () => [...Object.keys(files())]),
        dataFunction("readFile", ([name]) => {
          const text = files()[String(name)];
          if (text === undefined) throw new Error(`there is no file ${JSON.stringify(name)}`);
          return text;
        }),
      ],
    }),
    check: (text) => missingNumbers(text, [4130]),
  },
];

/** 30 items. */
export function stock(): { item: string; quantity: number; minimum: number; price: number }[] {
  return Array.from({ length: 30 }, (_, i) => ({
    item: `item-${i + 1}`,
    quantity: (i * 13) % 31,
    minimum: 5 + (i * 7) % 23,
    price: 3 + (i * 5) % 17,
  }));
}

/** 70 ballots. */
export function ballots(): string {
  const forms = ["Red", "blue ", " GREEN", "red", "BLUE", "green", " RED ", "Blue", "red", "bLue"];
  return Array.from({ length: 70 }, (_, i) => forms[(i * i + 3 * (i >> 3)) % forms.length])
    .join(",");
}

/** Four files with twelve numbers each. */
export function files(): Record<string, string> {
  return Object.fromEntries(
    ["spring.txt", "summer.txt", "autumn.txt", "winter.txt"].map((name, f) => [
      name,
      Array.from({ length: 12 }, (_, i) => String(10 + (f * 53 + i * 41) % 157)).join("\n"),
    ]),
  );
}
