import { equal, notEqual, rejects } from "node:assert/strict";
import { DEFAULT_SANDBOX_LIMITS, type SandboxLimits } from "../../contracts/sandbox.ts";
import { type Realm, RealmError } from "./realm.ts";
import type { RealmFactory } from "./realm_factory.ts";
import { createRealmStocks, type RealmStocks } from "./realm_stocks.ts";

/** Makes realms that are nothing but themselves, and counts them. */
function countingFactory(renew: () => boolean = () => true): RealmFactory & { made: number } {
  const factory = {
    made: 0,
    kindOf: () => ({
      create() {
        factory.made++;
        return Promise.resolve({ renew } as Realm);
      },
    }),
  };
  return factory;
}

const limits: SandboxLimits = DEFAULT_SANDBOX_LIMITS;
const packsNamed = (name: string) => [{ functions: [name] }];

/** Takes so many realms of a kind at once, and gives all of them back. */
async function use(stocks: RealmStocks, name: string, count: number): Promise<void> {
  const stock = stocks.of(limits, packsNamed(name));
  const realms = [];
  for (let index = 0; index < count; index++) realms.push(await stock.take());
  for (const realm of realms) stock.giveBack(realm);
}

Deno.test("realm stocks: packs that say the same have one stock, other packs and limits another", () => {
  const stocks = createRealmStocks(countingFactory());
  const one = stocks.of(limits, packsNamed("a"));
  equal(stocks.of({ ...limits }, packsNamed("a")), one);
  equal(stocks.of({ ...limits, guestTimeMs: 1 }, packsNamed("a")), one);
  notEqual(stocks.of(limits, packsNamed("b")), one);
  for (const name of ["memoryBytes", "stackBytes", "argsBytes", "logBytes", "hostCalls"] as const) {
    notEqual(stocks.of({ ...limits, [name]: limits[name] + 1 }, packsNamed("a")), one, name);
  }
});

Deno.test("realm stocks: a realm that was given back is taken again, renewed", async () => {
  let renewals = 0;
  const factory = countingFactory(() => ++renewals > 0);
  const stocks = createRealmStocks(factory);
  await use(stocks, "a", 1);
  await use(stocks, "a", 1);
  equal(factory.made, 1);
  equal(renewals, 1);
  stocks.tidy();
  await use(stocks, "a", 1);
  equal(renewals, 2);
});

Deno.test("realm stocks: what cannot be renewed is dropped, and counts no more", async () => {
  const factory = countingFactory(() => false);
  const stocks = createRealmStocks(factory);
  for (let round = 1; round <= 4; round++) {
    await use(stocks, "a", 20);
    stocks.tidy();
    equal(factory.made, 20 * round);
  }
});

Deno.test("realm stocks: 64 realms are kept over all kinds, those of the kind in use first", async () => {
  const factory = countingFactory();
  const stocks = createRealmStocks(factory);
  await use(stocks, "old", 40);
  await use(stocks, "new", 80);
  factory.made = 0;
  await use(stocks, "new", 64);
  equal(factory.made, 0);
  await use(stocks, "old", 1);
  equal(factory.made, 1);
});

Deno.test("realm stocks: nine kinds are one too many, and what comes back to the first is dropped", async () => {
  const factory = countingFactory();
  const stocks = createRealmStocks(factory);
  const first = stocks.of(limits, packsNamed("0"));
  const realm = await first.take();
  for (let name = 1; name <= 8; name++) await use(stocks, String(name), 1);
  first.giveBack(realm);
  factory.made = 0;
  first.prepare();
  equal(factory.made, 0);
  await use(stocks, "8", 1);
  equal(factory.made, 0);
  await use(stocks, "0", 1);
  equal(factory.made, 1);
});

Deno.test("realm stocks: one is made ahead of need, and its failure is its taker's", async () => {
  let made = 0;
  const stocks = createRealmStocks({
    kindOf: () => ({ create: () => Promise.reject(new RealmError(`no ${++made}`)) }),
  });
  const stock = stocks.of(limits, packsNamed("a"));
  stock.prepare();
  stock.prepare();
  equal(stocks.isMaking, true);
  await Promise.resolve();
  await rejects(async () => await stock.take(), /no 1/);
  equal(made, 1);
  await rejects(async () => await stock.take(), /no 2/);
});
