/**
 * The data of the demo's shop: 1,200 orders and 300 customers, the same at each start. Made up by a seeded generator; stands for an API that somebody has.
 */

/** One order; about 180 bytes of JSON. */
export interface Order {
  /** Its id. */
  readonly id: string;
  /** Who ordered. */
  readonly customerId: string;
  /** Where it stands. */
  readonly status: string;
  /** Its value, with two decimals. */
  readonly total: number;
  /** The currency; the same for all, so that totals may be added. */
  readonly currency: string;
  /** Pieces in it. */
  readonly items: number;
  /** Where it ships from. */
  readonly warehouse: string;
  /** How it came in. */
  readonly channel: string;
  /** When it came in. */
  readonly createdAt: string;
}

/** One customer; about 100 bytes of JSON. */
export interface Customer {
  /** Their id. */
  readonly id: string;
  /** Their name. */
  readonly name: string;
  /** Two letters. */
  readonly country: string;
  /** How good a customer. */
  readonly tier: string;
  /** Their address. */
  readonly email: string;
}

/** Everything that the shop's API serves. */
export interface ShopData {
  /** Orders, oldest id first. */
  readonly orders: readonly Order[];
  /** Customers, by id. */
  readonly customers: readonly Customer[];
}

/** Orders on one page of the API. */
export const PAGE_SIZE = 400;
/** Pages of the API. */
export const PAGE_COUNT = 3;
const CUSTOMER_COUNT = 300;

// Twenty and fifteen: every customer has a name of their own.
const GIVEN_NAMES =
  "Amara Björn Chiara Dmitri Elif Farah Goran Hana Ines Jonas Kaisa Leon Mira Nuno Olga Pavel Rosa Sven Tara Viktor"
    .split(" ");
const FAMILY_NAMES =
  "Aalto Bianchi Costa Dubois Eriksen Fischer Garcia Horák Ivanova Jansen Keller Lindqvist Moreau Novak Oliveira"
    .split(" ");
const COUNTRIES = ["AT", "CZ", "DK", "ES", "FI", "IT", "PT"];
const STATUSES = ["placed", "packed", "shipped", "delivered", "cancelled"];
const WAREHOUSES = ["graz-2", "porto-1", "turku-4"];
const CHANNELS = ["web", "phone", "store"];
const TIERS = ["gold", "silver", "bronze"];

/** Makes the data. */
export function makeShopData(): ShopData {
  const random = seededRandom(20_250_401);
  const below = (limit: number) => Math.floor(random() * limit);
  const pick = (list: readonly string[]) => list[below(list.length)] ?? "";
  const digits = (value: number, width: number) => String(value).padStart(width, "0");

  const customers = Array.from({ length: CUSTOMER_COUNT }, (_, index) => ({
    id: `cus_${digits(index + 1, 5)}`,
    name: `${GIVEN_NAMES[index % GIVEN_NAMES.length]} ${
      FAMILY_NAMES[Math.floor(index / GIVEN_NAMES.length)]
    }`,
    country: pick(COUNTRIES),
    tier: pick(TIERS),
    email: `customer${index + 1}@shop.example`,
  }));
  const orders = Array.from({ length: PAGE_SIZE * PAGE_COUNT }, (_, index) => ({
    id: `ord_${digits(index + 1, 7)}`,
    // The power makes some customers order more than others, the factor spreads them over the list.
    customerId:
      customers[Math.floor(random() ** 1.5 * CUSTOMER_COUNT) * 137 % CUSTOMER_COUNT]?.id ?? "",
    status: pick(STATUSES),
    total: (500 + below(60_000)) / 100,
    currency: "EUR",
    items: 1 + below(12),
    warehouse: pick(WAREHOUSES),
    channel: pick(CHANNELS),
    createdAt: `2025-0${1 + below(3)}-${digits(1 + below(28), 2)}T${digits(below(24), 2)}:${
      digits(below(60), 2)
    }:00Z`,
  }));
  return { orders, customers };
}

/** One page of orders, from 1; empty beyond the last. */
export function ordersOnPage(data: ShopData, page: number): readonly Order[] {
  return data.orders.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
}

/** Numbers in [0, 1) that are the same for the same seed: a linear congruential generator, of which only the high bits are used. */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) / 2 ** 24;
  };
}
