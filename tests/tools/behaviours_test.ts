import { PROTOCOL_DRIVERS } from "./protocol_driver.ts";
import { toolBehaviours } from "./tool_behaviours.ts";

for (const driver of PROTOCOL_DRIVERS) {
  toolBehaviours(driver, PROTOCOL_DRIVERS.filter((other) => other !== driver));
}
