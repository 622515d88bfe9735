import { deepEqual } from "node:assert/strict";
import { getEventListeners } from "node:events";
import { onAbort } from "./on_abort.ts";

function abortable(): { readonly signal: AbortSignal; readonly abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

Deno.test("on abort: all that were added hear the reason, in their order, but those that were taken back", () => {
  const heard: string[] = [];
  const controller = new AbortController();
  const { signal } = controller;
  onAbort(signal, (reason) => heard.push(`a ${reason}`));
  const takeBack = onAbort(signal, () => heard.push("b"));
  onAbort(signal, (reason) => heard.push(`c ${reason}`));
  takeBack();
  takeBack();
  controller.abort("over");
  onAbort(signal, () => heard.push("late"));
  deepEqual(heard, ["a over", "c over"]);
});

Deno.test("on abort: one that is added while others hear is not told, as the signal is aborted already", () => {
  const heard: string[] = [];
  const { signal, abort } = abortable();
  onAbort(signal, () => {
    heard.push("a");
    onAbort(signal, () => heard.push("late"));
  });
  abort();
  deepEqual(heard, ["a"]);
});

Deno.test("on abort: two that add the same function both hear, until each takes back its own", () => {
  const { signal, abort } = abortable();
  let heard = 0;
  const hear = () => void heard++;
  onAbort(signal, hear);
  const takeBack = onAbort(signal, hear);
  onAbort(signal, hear);
  takeBack();
  abort();
  deepEqual(heard, 2);
});

Deno.test("on abort: what is taken back while others hear is not told", () => {
  const heard: string[] = [];
  const controller = new AbortController();
  onAbort(controller.signal, () => {
    heard.push("a");
    takeBack();
  });
  const takeBack = onAbort(controller.signal, () => heard.push("b"));
  controller.abort();
  deepEqual(heard, ["a"]);
});

Deno.test("on abort: one that throws is uncaught, and keeps nobody else from hearing", () => {
  const heard: unknown[] = [];
  const controller = new AbortController();
  const onError = (event: ErrorEvent) => {
    event.preventDefault();
    heard.push(event.error);
  };
  addEventListener("error", onError);
  try {
    onAbort(controller.signal, () => {
      throw "wrong";
    });
    onAbort(controller.signal, () => heard.push("b"));
    controller.abort();
  } finally {
    removeEventListener("error", onError);
  }
  deepEqual(heard, ["wrong", "b"]);
});

Deno.test("on abort: a signal has one listener while anybody hears, and none before and after", () => {
  const { signal } = new AbortController();
  const counts: number[] = [];
  for (let round = 0; round < 2; round++) {
    const takeBacks = [1, 2, 3].map(() => onAbort(signal, () => {}));
    counts.push(getEventListeners(signal, "abort").length);
    for (const takeBack of takeBacks) {
      takeBack();
      takeBack();
      counts.push(getEventListeners(signal, "abort").length);
    }
  }
  deepEqual(counts, [1, 1, 1, 0, 1, 1, 1, 0]);
});
