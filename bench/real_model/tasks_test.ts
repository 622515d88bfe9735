/** The checks of the tasks hold against right and wrong answers, and what they expect is what the data gives. */
import assert from "node:assert/strict";
import type { JsonValue } from "../../contracts/json.ts";
import { missingNumbers, numbersIn, wrongGroups, wrongRanking } from "./check_text.ts";
import type { Task } from "./task.ts";
import { sales, serverLog, shopCustomers, shopOrders, stations, TASKS } from "./tasks.ts";
import { ballots, files, stock, TUNING_TASKS } from "./tuning_tasks.ts";

/** Texts that must pass and texts that must not, by the name of the task. */
const ANSWERS: Record<string, { readonly right: string[]; readonly wrong: string[] }> = {
  "list-arithmetic": {
    right: ["14340", "The sum is **14,340**.", "42² + 8² + … = 14 340", '{"sum":14340}'],
    wrong: ["240", "14340.5", "143400", "The sum of the squares is 38000.", ""],
  },
  "log-parsing": {
    right: ["12 ERROR lines, 9266 ms", '{\n  "count": 12,\n  "totalMs": 9266\n}', "[12,9266]"],
    wrong: ["12 lines", "There are 13 errors that took 9266 ms.", "9266"],
  },
  "join-tables": { right: ["453", "Norway: 453.00"], wrong: ["1,453", "4530", "none"] },
  "dates": {
    right: ["478 days", "There are 478 days."],
    wrong: ["477", "479 days", "2023-11-478"],
  },
  "text-counting": {
    right: ["e: 40, words: 20", "The letter e occurs 40 times in the 20 words."],
    wrong: ["40", "39 and 20", "40 and 21"],
  },
  "grouping": {
    right: [
      "north: 556, south: 567, east: 568, west: 541",
      '[{"region":"North","sum":556},{"region":"South","sum":567},{"region":"West","sum":541},{"region":"East","sum":568}]',
      '[{"sum":556,"region":"north"},{"sum":567,"region":"south"},{"sum":568,"region":"east"},{"sum":541,"region":"west"}]',
    ],
    wrong: [
      "north: 567, south: 556, east: 568, west: 541",
      "north: 556, south: 567, east: 568",
      "556, 567, 568, 541",
    ],
  },
  "top-three": {
    right: [
      "1. Fjell (83)\n2. Kaldvik (81)\n3. Moss (78)",
      '[{"name":"fjell","net":83},{"name":"kaldvik","net":81},{"name":"moss","net":78}]',
    ],
    wrong: [
      "kaldvik 81, fjell 83, moss 78",
      "fjell, kaldvik, moss",
      "sorvik 97, hovden 95, arnes 91",
      "fjell 83, kaldvik 81, moss 78, arnes 72",
    ],
  },
  "string-transformation": {
    right: ["The result is revlis-snretnal-tfird-ssorca-teiuq-ruobrah-retaw."],
    wrong: [
      "water-harbour-quiet-across-drift-lanterns-silver",
      "revlis snretnal tfird ssorca teiuq ruobrah retaw",
    ],
  },
  "simulation": { right: ["678 litres", "**678**"], wrong: ["675.55", "689", "1678"] },
  "two-step-lookup": {
    right: ["141.64", "€141.64", "141.636", "It costs 141.63600000000002."],
    wrong: ["160.95", "141.6", "142"],
  },
  "prime-sum": { right: ["37 + 59 + 83 + 97 + 101 + 127 = 504"], wrong: ["381", "5040"] },
  "stock-value": { right: ["14 items, 1714 in all"], wrong: ["14", "1714", "13 and 1714"] },
  "durations": { right: ["809 minutes", "13:29, that is 809 minutes"], wrong: ["13:29", "8090"] },
  "votes": {
    right: ["Red 27, Blue 28, Green 15", '{"red":27,"blue":28,"green":15}'],
    wrong: ["Red 28, Blue 27, Green 15", '{"Red":7,"red":13}'],
  },
  "file-totals": { right: ["4130", "The total is 4,130."], wrong: ["1014", "41300"] },
};

for (const task of [...TASKS, ...TUNING_TASKS]) {
  Deno.test(`${task.name}: the check takes right answers and refuses wrong ones`, () => {
    const { right, wrong } = answersOf(task);
    for (const text of right) assert.equal(task.check(text), undefined, text);
    for (const text of wrong) assert.notEqual(task.check(text), undefined, text);
  });

  Deno.test(`${task.name}: the message is no answer to itself`, () => {
    assert.notEqual(task.check(task.message), undefined);
  });
}

Deno.test("the answers of tasks without data are what computing them gives", () => {
  const list = [17, 42, 8, 93, 64, 35, 71, 26, 50, 89, 14, 77, 38, 5, 60];
  const squares = list.filter((number) => number % 2 === 0).map((number) => number ** 2);
  expectAccepted("list-arithmetic", sum(squares));
  expectAccepted("dates", (Date.UTC(2025, 2, 9) - Date.UTC(2023, 10, 17)) / 86_400_000);
  const text = messageOf("text-counting").split('"')[1] ?? "";
  expectAccepted("text-counting", [text.match(/e/gi)?.length ?? 0, text.split(" ").length]);
  const words = messageOf("string-transformation").split('"')[1]?.split(" ") ?? [];
  expectAccepted(
    "string-transformation",
    words.map((word) => word.split("").reverse().join("")).join("-"),
  );
  let litres = 1000;
  for (let day = 0; day < 30; day++) litres = Math.floor(litres * 93 / 100) + 45;
  expectAccepted("simulation", litres);
  expectAccepted("durations", sum([105, 38, 127, 59, 196, 84, 47, 153]));
  expectAccepted("prime-sum", sum([37, 59, 83, 97, 101, 127]));
});

Deno.test("the answers of tasks with data are what their data gives", () => {
  const errors = serverLog().split("\n").filter((line) => line.includes(" ERROR "));
  expectAccepted("log-parsing", [
    errors.length,
    sum(errors.map((line) => Number(/took (\d+)ms/.exec(line)?.[1]))),
  ]);
  const norwegian = shopCustomers().filter((one) => one.country === "Norway").map((one) => one.id);
  const bought = shopOrders().filter((order) => norwegian.includes(order.customerId));
  expectAccepted("join-tables", sum(bought.map((order) => order.amount)));
  const kept: Record<string, number> = {};
  for (const sale of sales()) {
    if (!sale.returned) kept[sale.region] = (kept[sale.region] ?? 0) + sale.amount;
  }
  expectAccepted("grouping", kept);
  const ranked = stations().map(({ name, score, penalty }) => ({ name, net: score - penalty }))
    .sort((a, b) => b.net - a.net);
  expectAccepted("top-three", ranked.slice(0, 3));
  const low = stock().filter((item) => item.quantity < item.minimum);
  expectAccepted("stock-value", [
    low.length,
    sum(low.map((item) => (item.minimum - item.quantity) * item.price)),
  ]);
  const votes: Record<string, number> = {};
  for (const ballot of ballots().split(",")) {
    const colour = ballot.trim().toLowerCase();
    votes[colour] = (votes[colour] ?? 0) + 1;
  }
  expectAccepted("votes", votes);
  const numbers = Object.values(files()).flatMap((text) => text.split("\n").map(Number));
  expectAccepted("file-totals", sum(numbers));
});

Deno.test("two-step lookup: the host functions lead to the answer and refuse what they do not know", async () => {
  const [pack] = await TASKS.find((task) => task.name === "two-step-lookup")?.capability?.build({
    signal: new AbortController().signal,
    sessionId: "s",
  }) ?? [];
  const call = (name: string, argument: JsonValue) =>
    pack?.functions.find((one) => one.name === name)?.execute([argument], {
      signal: new AbortController().signal,
      runId: "r",
      sessionId: "s",
      emit: () => {},
      authorize: () => Promise.resolve(),
      reserve: () => ({ [Symbol.dispose]() {} }),
      spend: () => {},
      secret: () => Promise.reject(new Error("there are no secrets")),
      fill: (text) => Promise.resolve(text),
      redact: (text) => text,
    }) as Record<string, number & string>;
  const part = call("findPart", "hinge-40");
  const supplier = call("getSupplier", part.supplierId ?? "");
  expectAccepted(
    "two-step-lookup",
    37 * (part.price ?? 0) * (1 - (supplier.discountPercent ?? 0) / 100),
  );
  assert.throws(() => call("findPart", "hinge"), /nothing has name "hinge"/);
});

Deno.test("numbers: thousands separators, signs and formatting are read, lists are not joined", () => {
  assert.deepEqual(numbersIn("**1,234.5** and −7, $3"), [1234.5, -7, 3]);
  assert.deepEqual(numbersIn("[12,345]"), [12, 345]);
  assert.deepEqual(numbersIn("12,345 and 12, 345"), [12345, 12, 345]);
  assert.deepEqual(numbersIn("item-3 of 2024-05-06"), [2024]);
});

Deno.test("a dump of many numbers is no answer even when the right one is in it", () => {
  const dump = Array.from({ length: 60 }, (_, i) => i).join(" ");
  assert.match(missingNumbers(dump, [33]) ?? "", /dump/);
});

Deno.test("ranking and groups say what is wrong", () => {
  assert.equal(wrongRanking("b a", { expected: ["a", "b"], others: [] }), "the order is wrong");
  assert.equal(wrongRanking("a c", { expected: ["a"], others: ["c"] }), "names c");
  assert.equal(wrongGroups("a 1", { a: 1, b: 2 }), "lacks b");
  assert.equal(wrongGroups("a 1 b 3", { a: 1, b: 2 }), "b lacks 2");
});

function answersOf(task: Task): { readonly right: string[]; readonly wrong: string[] } {
  const answers = ANSWERS[task.name];
  assert.ok(answers, `no answers for ${task.name}`);
  return answers;
}

function messageOf(name: string): string {
  return TASKS.find((task) => task.name === name)?.message ?? "";
}

function expectAccepted(name: string, answer: JsonValue): void {
  const task = [...TASKS, ...TUNING_TASKS].find((one) => one.name === name);
  const text = typeof answer === "string" ? answer : JSON.stringify(answer);
  assert.equal(task?.check(text), undefined, `${name} refuses ${text}`);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
