import { deepEqual } from "node:assert/strict";
import { onAbort } from "./on_abort.ts";

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
