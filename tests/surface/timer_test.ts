import { equal } from "node:assert/strict";

Deno.test("a program lives until its last timer ends, and no longer than that", async () => {
  const timer = JSON.stringify(new URL("../../contracts/timer.ts", import.meta.url).href);
  const program = `
    const { startTimer } = await import(${timer});
    const stop = startTimer(600_000, () => console.log("never"));
    startTimer(150, () => console.log("ended"));
    startTimer(20, stop);
    startTimer(30, () => { throw new Error("of its own") });
    addEventListener("error", (event) => { event.preventDefault(); console.log(event.message); });
  `;
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-lock",
      "--no-config",
      `data:text/javascript,${encodeURIComponent(program)}`,
    ],
  }).output();
  equal(new TextDecoder().decode(stdout), "Uncaught Error: of its own\nended\n");
});
