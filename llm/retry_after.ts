/**
 * How long a server asks to be left alone, from the headers of its reply. Pure: the clock is passed in.
 */

/** Beyond this a wait is a mistake of the server and not a wish: 24 hours. */
const ABSURD_MS = 24 * 60 * 60 * 1000;

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;
const WEEKDAY = /^(?:mon|tue|wed|thu|fri|sat|sun)/i;
/** The third of HTTP's date forms, which names no zone and means UTC: `Sun Nov  6 08:49:37 1994`. */
const ASCTIME = /^[a-z]{3} [a-z]{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$/i;

/**
 * The wait that `retry-after-ms` or `Retry-After` ask for, in ms: a number of seconds (with decimals or without) or an HTTP date. What lies in
 * the past is 0.
 *
 * `undefined` where there is no such header or it means nothing: no number and no date, or a wait of more than 24 hours, which no
 * server intends.
 */
export function retryAfterMs(headers: Headers, now: () => Date): number | undefined {
  const inMs = headers.get("retry-after-ms")?.trim() ?? "";
  if (NUMBER.test(inMs)) return sane(Number(inMs));
  const text = headers.get("retry-after")?.trim() ?? "";
  if (NUMBER.test(text)) return sane(Number(text) * 1000);
  if (!WEEKDAY.test(text)) return undefined;
  const date = Date.parse(ASCTIME.test(text) ? `${text} GMT` : text);
  return sane(date - now().getTime());
}

function sane(waitMs: number): number | undefined {
  if (!Number.isFinite(waitMs) || waitMs > ABSURD_MS) return undefined;
  return Math.max(0, Math.round(waitMs));
}
