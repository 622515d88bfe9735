/** Every attack, as a function of the host that has to stand it. */
import { type SecuritySuite, startSuite } from "./attack.ts";
import { bridgeAttacks } from "./suite_bridge.ts";
import { cpuAttacks } from "./suite_cpu.ts";
import { escapeAttacks } from "./suite_escape.ts";
import { memoryAttacks } from "./suite_memory.ts";
import { resultAttacks } from "./suite_result.ts";
import { stackAttacks } from "./suite_stack.ts";
import { throwingAttacks } from "./suite_throwing.ts";

/** Defines the tests for one host. */
export function sandboxSecuritySuite(host: SecuritySuite): void {
  const suite = startSuite(host);
  cpuAttacks(suite);
  stackAttacks(suite);
  memoryAttacks(suite);
  resultAttacks(suite);
  throwingAttacks(suite);
  bridgeAttacks(suite);
  escapeAttacks(suite);
}
