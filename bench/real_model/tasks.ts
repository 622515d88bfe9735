/**
 * The ten tasks that the real model is measured on, with their checks. They were written before any model had seen them and are
 * never used for tuning prompts or digests: tuning_tasks.ts holds the tasks for that.
 */
import type { JsonValue } from "../../contracts/json.ts";
import { missingNumbers, wrongGroups, wrongRanking } from "./check_text.ts";
import { dataCapability, dataFunction, type Task } from "./task.ts";

/** The ten tasks, in the order of the report. */
export const TASKS: readonly Task[] = [
  {
    name: "list-arithmetic",
    message:
      "Here is a list of numbers: 17, 42, 8, 93, 64, 35, 71, 26, 50, 89, 14, 77, 38, 5, 60. " +
      "What is the sum of the squares of the even numbers in it?",
    check: (text) => missingNumbers(text, [14340]),
  },
  {
    name: "log-parsing",
    message: "Read the server log with readLog(). How many lines have the level ERROR, " +
      "and what is the total of the milliseconds on those ERROR lines?",
    capability: dataCapability("server-log", {
      prompt:
        "/** The log as one text. A line looks like: 2025-02-03T10:15:00 WARN db took 120ms */\ndeclare function readLog(): string;",
      functions: [dataFunction("readLog", () => serverLog())],
    }),
    check: (text) => missingNumbers(text, [12, 9266]),
  },
  {
    name: "join-tables",
    message:
      "Orders come from listOrders() and customers from listCustomers(). What is the total amount of all orders " +
      "placed by customers whose country is Norway?",
    capability: dataCapability("shop", {
      prompt:
        "declare function listOrders(): { id: number; customerId: number; amount: number }[];\n" +
        "declare function listCustomers(): { id: number; country: string }[];",
      functions: [
        dataFunction("listOrders", () => shopOrders()),
        dataFunction("listCustomers", () => shopCustomers()),
      ],
    }),
    check: (text) => missingNumbers(text, [453]),
  },
  {
    name: "dates",
    message:
      "How many days are there from 2023-11-17 to 2025-03-09, not counting the first day itself?",
    check: (text) => missingNumbers(text, [478]),
  },
  {
    name: "text-counting",
    message:
      'Count in this text: "The elephant never forgets where the evergreen trees were felled, yet every season ' +
      'seventeen seedlings emerge between the weathered stones." How often does the letter e occur (upper and lower case together), and how many words are there?',
    check: (text) => missingNumbers(text, [40, 20]),
  },
  {
    name: "grouping",
    message:
      "Use listSales(). For each region give the sum of the amounts of the sales that were not returned.",
    capability: dataCapability("sales", {
      prompt:
        "declare function listSales(): { region: string; amount: number; returned: boolean }[];",
      functions: [dataFunction("listSales", () => sales())],
    }),
    check: (text) => wrongGroups(text, { north: 556, south: 567, east: 568, west: 541 }),
  },
  {
    name: "top-three",
    message:
      "Use listStations(). A station's net score is its score minus its penalty. Name the three stations with the " +
      "highest net score, best first, each with its net score. Name no others.",
    capability: dataCapability("stations", {
      prompt:
        "declare function listStations(): { name: string; score: number; penalty: number }[];",
      functions: [dataFunction("listStations", () => stations())],
    }),
    check: (text) => {
      const expected = ["fjell", "kaldvik", "moss"];
      const others = stations().map((station) => station.name)
        .filter((name) => !expected.includes(name));
      return wrongRanking(text, { expected, others }) ?? missingNumbers(text, [83, 81, 78]);
    },
  },
  {
    name: "string-transformation",
    message:
      'Take the words of "silver lanterns drift across quiet harbour water", reverse the letters of each word, ' +
      "keep the words in their order, and join them with a hyphen. What is the result?",
    check: (text) =>
      text.toLowerCase().includes("revlis-snretnal-tfird-ssorca-teiuq-ruobrah-retaw")
        ? undefined
        : "lacks the transformed text",
  },
  {
    name: "simulation",
    message:
      "A tank holds 1000 litres. Every day first 7 percent of what is in it is lost, then the rest is rounded down to " +
      "whole litres, and then 45 litres are added. How many litres are in the tank after 30 days?",
    check: (text) => missingNumbers(text, [678]),
  },
  {
    name: "two-step-lookup",
    message:
      'What do 37 pieces of the part named "hinge-40" cost? findPart(name) gives the price of one piece and the id ' +
      "of its supplier; getSupplier(id) gives the supplier's discount in percent, which is taken off the total.",
    capability: dataCapability("parts", {
      prompt:
        "declare function findPart(name: string): { id: number; name: string; price: number; supplierId: string };\n" +
        "declare function getSupplier(id: string): { id: string; city: string; discountPercent: number };",
      functions: [
        dataFunction("findPart", ([name]) => rowOf(PARTS, { key: "name", value: name })),
        dataFunction("getSupplier", ([id]) => rowOf(SUPPLIERS, { key: "id", value: id })),
      ],
    }),
    check: (text) => missingNumbers(text, [141.64], 0.006),
  },
];

const LEVELS = ["INFO", "WARN", "ERROR", "INFO", "DEBUG"] as const;
const PARTS = [
  { id: 11, name: "bolt-08", price: 0.35, supplierId: "s-5" },
  { id: 12, name: "hinge-40", price: 4.35, supplierId: "s-9" },
  { id: 13, name: "plate-12", price: 2.8, supplierId: "s-2" },
];
const SUPPLIERS = [
  { id: "s-2", city: "Lyon", discountPercent: 5 },
  { id: "s-5", city: "Graz", discountPercent: 20 },
  { id: "s-9", city: "Turku", discountPercent: 12 },
];

/** A log of 60 lines. */
export function serverLog(): string {
  return Array.from({ length: 60 }, (_, i) => {
    const minute = String(i).padStart(2, "0");
    const level = LEVELS[(i * 3 + (i >> 2)) % 5];
    return `2025-02-03T10:${minute}:00 ${level} ${i % 3 === 0 ? "db" : "api"} took ${
      100 + (i * 97) % 1300
    }ms`;
  }).join("\n");
}

/** 40 orders. */
export function shopOrders(): { id: number; customerId: number; amount: number }[] {
  return Array.from({ length: 40 }, (_, i) => ({
    id: 1000 + i,
    customerId: 1 + (i * 7) % 11,
    amount: 12 + (i * 37) % 90,
  }));
}

/** 11 customers. */
export function shopCustomers(): { id: number; country: string }[] {
  const countries = ["Norway", "Chile", "Japan", "Kenya"];
  return Array.from({ length: 11 }, (_, i) => ({
    id: i + 1,
    country: countries[(i * 3) % 4] ?? "",
  }));
}

/** 48 sales in four regions. */
export function sales(): { region: string; amount: number; returned: boolean }[] {
  const regions = ["north", "south", "east", "west"];
  return Array.from({ length: 48 }, (_, i) => ({
    region: regions[(i * 5 + (i >> 2)) % 4] ?? "",
    amount: 20 + (i * i * 7) % 83,
    returned: i % 5 === 3,
  }));
}

/** Eight measuring stations. */
export function stations(): { name: string; score: number; penalty: number }[] {
  const names = ["arnes", "bodin", "fjell", "hovden", "kaldvik", "lindas", "moss", "sorvik"];
  const scores = [91, 74, 88, 95, 84, 69, 80, 97];
  const penalties = [19, 3, 5, 28, 3, 1, 2, 40];
  return names.map((name, i) => ({ name, score: scores[i] ?? 0, penalty: penalties[i] ?? 0 }));
}

function rowOf<Row extends object>(
  rows: readonly Row[],
  wanted: { readonly key: keyof Row; readonly value: JsonValue | undefined },
): Row {
  const row = rows.find((candidate) => candidate[wanted.key] === wanted.value);
  if (row === undefined) {
    throw new Error(`nothing has ${String(wanted.key)} ${JSON.stringify(wanted.value)}`);
  }
  return row;
}
