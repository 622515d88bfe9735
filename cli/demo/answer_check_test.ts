import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { checkAnswer, expectedTopTen } from "./answer_check.ts";
import { makeShopData, ordersOnPage, PAGE_COUNT, PAGE_SIZE } from "./shop_data.ts";

const DATA = makeShopData();
const RIGHT = expectedTopTen(DATA).map((row, index) =>
  `${index + 1}. ${row.name} (${row.country}): ${row.total} EUR`
);

Deno.test("the right answer passes, with whatever stands around it", () => {
  deepStrictEqual(checkAnswer(RIGHT.join("\n"), DATA), []);
  deepStrictEqual(checkAnswer(`Here:\n${RIGHT.join("\n")}\nThat is all.`, DATA), []);
});

Deno.test("a wrong figure, a wrong order and a missing line are each named", () => {
  const [first = "", second = "", ...rest] = RIGHT;
  match(
    checkAnswer([first.replace(/\d EUR/, "x EUR"), second, ...rest].join("\n"), DATA)[0] ?? "",
    /^line 1 should be/,
  );
  strictEqual(checkAnswer([second, first, ...rest].join("\n"), DATA).length, 2);
  match(checkAnswer(RIGHT.slice(0, 9).join("\n"), DATA).join("\n"), /9 ranked lines, not 10/);
  strictEqual(checkAnswer("", DATA).length, 11);
});

Deno.test("the shop's data is of the announced size, and no total is shared at the top", () => {
  strictEqual(DATA.customers.length, 300);
  strictEqual(new Set(DATA.customers.map((customer) => customer.name)).size, 300);
  const pages = Array.from({ length: PAGE_COUNT }, (_, index) => ordersOnPage(DATA, index + 1));
  deepStrictEqual(pages.map((page) => page.length), [PAGE_SIZE, PAGE_SIZE, PAGE_SIZE]);
  strictEqual(ordersOnPage(DATA, PAGE_COUNT + 1).length, 0);
  const orderBytes = JSON.stringify(DATA.orders).length / DATA.orders.length;
  strictEqual(Math.round(orderBytes / 10) * 10, 180);
  const totals = expectedTopTen(DATA).map((row) => row.total);
  strictEqual(new Set(totals).size, 10);
});
