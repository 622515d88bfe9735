/** The spend ledger's statements. Each runs inside the transaction or read of whoever calls. */
import type { Spend } from "../../contracts/limits.ts";
import type { CheckedSpend } from "../spend_input.ts";
import type { Connection } from "./connection.ts";
import { toColumn } from "./text_column.ts";

const ADD = `
  INSERT INTO spend (scope_key, minute, tokens, cost, host_calls) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (scope_key, minute) DO UPDATE SET
    tokens = tokens + excluded.tokens,
    cost = cost + excluded.cost,
    host_calls = host_calls + excluded.host_calls
  RETURNING tokens, host_calls`;

const SUM = `
  SELECT coalesce(sum(tokens), 0) AS tokens, total(cost) AS cost, coalesce(sum(host_calls), 0) AS host_calls
    FROM spend WHERE scope_key = ? AND minute >= ?`;

/** Adds to the row of the minute. */
export function insertSpend(connection: Connection, scopeKey: string, spend: CheckedSpend): void {
  // Reading the sums back makes one that can no longer be read exactly fail here, and nothing is kept.
  connection.statement(ADD).get(
    toColumn(scopeKey),
    spend.minute,
    spend.tokens,
    spend.cost,
    spend.hostCalls,
  );
}

/** The sum of a scope's rows from a minute on. */
export function sumSpend(connection: Connection, scopeKey: string, minute: number): Spend {
  const row = connection.statement(SUM).get(toColumn(scopeKey), minute);
  return {
    tokens: Number(row?.tokens),
    cost: Number(row?.cost),
    hostCalls: Number(row?.host_calls),
  };
}
