/** The run as a program: whoever starts it with OTEL_DENO=true gets its spans. */
import { createOtelTracer } from "../../ext/otel/mod.ts";
import { tracedRun } from "./traced_run.ts";

const { finalText } = await tracedRun(createOtelTracer());
console.log(finalText);
