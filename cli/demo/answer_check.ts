/**
 * Checks the demo's answer against a computation that shares nothing with the scripts: it walks customers instead of orders and compares line by line.
 */
import type { ShopData } from "./shop_data.ts";

/** A line of the answer that should be there. */
export interface RankedCustomer {
  /** The customer's name. */
  readonly name: string;
  /** Two letters. */
  readonly country: string;
  /** Total of the orders that were not cancelled, with two decimals. */
  readonly total: string;
}

/** The ten customers with the highest totals, cancelled orders left out, computed from the data itself. */
export function expectedTopTen(data: ShopData): readonly RankedCustomer[] {
  return data.customers
    .map((customer) => {
      const cents = data.orders
        .filter((order) => order.customerId === customer.id && order.status !== "cancelled")
        .reduce((sum, order) => sum + Math.round(order.total * 100), 0);
      return { customer, cents };
    })
    .sort((a, b) => b.cents - a.cents)
    .slice(0, 10)
    .map(({ customer, cents }) => ({
      name: customer.name,
      country: customer.country,
      total: `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`,
    }));
}

/** What is wrong with an answer, one line for each fault; none when it is right. */
export function checkAnswer(answer: string, data: ShopData): readonly string[] {
  const lines = answer.split("\n").filter((line) => /^\d+\. /.test(line));
  const expected = expectedTopTen(data);
  const faults = lines.length === expected.length
    ? []
    : [`the answer has ${lines.length} ranked lines, not ${expected.length}`];
  expected.forEach((row, index) => {
    const wanted = `${index + 1}. ${row.name} (${row.country}): ${row.total} EUR`;
    if (lines[index] !== wanted) {
      faults.push(`line ${index + 1} should be "${wanted}", but is "${lines[index] ?? ""}"`);
    }
  });
  return faults;
}
