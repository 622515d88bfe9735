/**
 * Messages from a person at a terminal, with editing, history and pastes of any length. The prompt goes to stderr, because stdout is for answers alone.
 *
 * While a message is written the terminal is in raw mode and Ctrl-C is a key; in between it is a signal again, nothing is echoed, and what is typed ahead
 * waits for the next prompt.
 *
 * The runtime's own readline draws anew for each character of what is pasted, in time that grows with its square, and drops what follows the first line.
 */
import type { LineReader, ReadLine, ReadOptions } from "../line_reader.ts";
import { applyKey, type Draft, EMPTY_DRAFT, insertText } from "./edit.ts";
import { createHistory, type LineHistory } from "./history.ts";
import { type Key, type KeyName, PASTE_MODE_OFF, PASTE_MODE_ON, readKeys } from "./keys.ts";
import { layoutDraft } from "./layout.ts";
import { openScreen, type Screen } from "./screen.ts";

/** The terminal that a person types at. */
export interface Keyboard {
  /** What is typed. */
  readonly readable: ReadableStream<Uint8Array>;
  /** Whether each key arrives at once and unseen; with `cbreak` Ctrl-C stays a signal. */
  setRaw(raw: boolean, options?: { cbreak: boolean }): void;
}

/** Where the line is drawn. */
export interface Display {
  /** Writes text with control sequences. */
  write(text: string): void;
  /** Columns and rows of the terminal. */
  size(): { readonly columns: number; readonly rows: number };
}

/** How long to wait for the rest of a paste that stopped at a line break, in ms: terminals send one in pieces without a pause. */
const PASTE_PAUSE_MS = 30;
/** Characters that nobody types at once. */
const PASTE_LENGTH = 128;

/** Opens the keyboard for messages. Disposing gives the terminal back as it was. */
export function terminalLines(keyboard: Keyboard, display: Display): LineReader {
  const input = openInput(keyboard);
  const history = createHistory();
  // Windows has no mode in which keys are unseen and Ctrl-C is a signal.
  const waitUnseen = () =>
    Deno.build.os === "windows" ? keyboard.setRaw(false) : keyboard.setRaw(true, { cbreak: true });
  return {
    async read(prompt, signal, options = {}) {
      keyboard.setRaw(true);
      display.write(PASTE_MODE_ON);
      const screen = openScreen(display.write);
      try {
        return await readMessage({ input, history, screen, display }, { prompt, signal, options });
      } finally {
        screen.leave();
        display.write(PASTE_MODE_OFF);
        waitUnseen();
      }
    },
    recall(messages) {
      for (const message of messages) history.add(message);
    },
    [Symbol.dispose]() {
      keyboard.setRaw(false);
      input.close();
    },
  };
}

async function readMessage(
  { input, history, screen, display }: {
    readonly input: Input;
    readonly history: LineHistory;
    readonly screen: Screen;
    readonly display: Display;
  },
  { prompt, signal, options: { initial = "", remember = true } }: {
    readonly prompt: string;
    readonly signal: AbortSignal;
    readonly options: ReadOptions;
  },
): Promise<ReadLine> {
  let draft = insertText(EMPTY_DRAFT, initial);
  history.rewind();
  function draw(): void {
    const { columns, rows } = display.size();
    screen.draw(layoutDraft(draft, { prompt, columns, maxRows: Math.max(1, rows - 1) }));
  }
  draw();
  for (;;) {
    const key = input.take() ?? await input.next(signal);
    if (typeof key === "string") return key;
    if ("text" in key) draft = insertText(draft, key.text);
    else {
      switch (key.key) {
        case "submit":
          draft = { ...draft, cursor: draft.text.length };
          draw();
          if (remember) history.add(draft.text);
          return { line: draft.text };
        case "interrupt":
          if (draft.text === "") return "interrupt";
          screen.leave();
          draft = { ...EMPTY_DRAFT, cut: draft.text };
          break;
        case "end_or_delete":
          if (draft.text === "") return "end";
          draft = applyKey(draft, key.key);
          break;
        case "clear_screen":
          screen.clear();
          break;
        default:
          draft = moveOrEdit(history, draft, key.key);
      }
    }
    // Drawn once for all that came in one piece.
    if (input.waiting === 0) draw();
  }
}

/** Changes the draft. A step up or down goes to its next line, beyond its ends to another message. */
function moveOrEdit(history: LineHistory, draft: Draft, key: KeyName): Draft {
  const moved = applyKey(draft, key);
  if ((key !== "up" && key !== "down") || moved.cursor !== draft.cursor) return moved;
  const text = key === "up" ? history.older(draft.text) : history.newer(draft.text);
  return text === undefined ? draft : { ...draft, text, cursor: text.length };
}

/** Keys, one at a time. */
interface Input {
  /** Keys that have come and were not taken. */
  readonly waiting: number;
  /** The next key that has come. */
  take(): Key | undefined;
  /** Waits for the next key, the end of input, or the signal. */
  next(signal: AbortSignal): Promise<Key | "end" | "interrupt">;
  /** Lets go of the keyboard. */
  close(): void;
}

function openInput(keyboard: Keyboard): Input {
  const reader = keyboard.readable.getReader();
  const decoder = new TextDecoder();
  const keys = readKeys();
  const queue: Key[] = [];
  let ended = false;
  let pending: Promise<void> | undefined;

  /** Waits for one more piece; only one is ever asked for at a time. */
  function more(): Promise<void> {
    pending ??= reader.read().then(async ({ done, value }) => {
      pending = undefined;
      ended = done;
      const piece = decoder.decode(value, { stream: !done });
      queue.push(...keys.push(piece));
      await restOfPaste(piece);
    });
    return pending;
  }

  /** A piece that ends in a line break may be the first of a paste: then that one was no Enter. */
  async function restOfPaste(piece: string): Promise<void> {
    const last = queue.at(-1);
    const looksPasted = piece.length > PASTE_LENGTH || /[\r\n]./s.test(piece);
    if (!looksPasted || last === undefined || !("key" in last) || last.key !== "submit") return;
    const length = queue.length;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const pause = new Promise<void>((resolve) => timer = setTimeout(resolve, PASTE_PAUSE_MS));
    await Promise.race([more(), pause]);
    clearTimeout(timer);
    if (queue.length > length) queue[length - 1] = { text: "\n" };
  }

  return {
    get waiting() {
      return queue.length;
    },
    take: () => queue.shift(),
    async next(signal) {
      for (;;) {
        const key = queue.shift();
        if (key !== undefined) return key;
        if (signal.aborted) return "interrupt";
        if (ended) return "end";
        const stopped = Promise.withResolvers<void>();
        const stop = () => stopped.resolve();
        signal.addEventListener("abort", stop);
        await Promise.race([more(), stopped.promise]);
        signal.removeEventListener("abort", stop);
      }
    },
    close() {
      reader.cancel().catch(() => {});
    },
  };
}
