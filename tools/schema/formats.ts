/** The formats of texts that are checked, each in time linear to the text. Others say what is meant and are not checked, as the standard allows. */

/** Longer texts fit none of the formats that are matched by an expression. */
const MAX_LENGTH = 1024;

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;
const HOSTNAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
const LOCAL_PART = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}$/;
const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const TIME = /^(\d\d):(\d\d):(\d\d)(?:\.\d{1,12})?(z|[+-](\d\d):(\d\d))$/i;
/** RFC 3339, appendix A: no unit may be left out between two that are there. */
const TIME_PART = "T(?:\\d{1,9}H(?:\\d{1,9}M(?:\\d{1,9}S)?)?|\\d{1,9}M(?:\\d{1,9}S)?|\\d{1,9}S)";
const DATE_PART = "(?:\\d{1,9}Y(?:\\d{1,9}M(?:\\d{1,9}D)?)?|\\d{1,9}M(?:\\d{1,9}D)?|\\d{1,9}D)";
const DURATION = new RegExp(`^P(?:\\d{1,9}W|${DATE_PART}(?:${TIME_PART})?|${TIME_PART})$`);
/** Only characters that a URI can have, each percent sign before two digits. */
const URI = /^[a-z][a-z0-9+.-]*:(?:[!#$&-;=?-[\]_a-z~]|%[0-9a-f]{2})*$/i;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text has a format; one that is not known fits always. */
export function hasFormat(text: string, format: string): boolean {
  if (format === "uri") return URI.test(text) && URL.canParse(text);
  if (!Object.hasOwn(FORMATS, format)) return true;
  return text.length <= MAX_LENGTH && FORMATS[format]!(text);
}

const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  date: isDate,
  time: isTime,
  "date-time": (text) =>
    /^.{10}[t ]/i.test(text) && isDate(text.slice(0, 10)) && isTime(text.slice(11)),
  duration: (text) => DURATION.test(text),
  email: isEmail,
  hostname: isHostname,
  ipv4: (text) => IPV4.test(text),
  ipv6: (text) =>
    /^[0-9a-f:.]+$/i.test(text) && text.includes(":") && URL.canParse(`http://[${text}]`),
  uuid: (text) => UUID.test(text),
};

function isDate(text: string): boolean {
  const found = DATE.exec(text);
  if (found === null) return false;
  const [year, month, day] = found.slice(1).map(Number) as [number, number, number];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

function isTime(text: string): boolean {
  const found = TIME.exec(text);
  if (found === null) return false;
  const [hour, minute, second] = found.slice(1, 4).map(Number) as [number, number, number];
  const [offsetHour, offsetMinute] = found.slice(5).map((part) => Number(part ?? 0)) as [
    number,
    number,
  ];
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return false;
  // A leap second is the last of a day in UTC.
  const sign = found[4]?.[0] === "-" ? 1 : -1;
  const inUtc = hour * 60 + minute + sign * (offsetHour * 60 + offsetMinute);
  return second < 60 || (inUtc + 2 * 1440) % 1440 === 1439;
}

function isHostname(text: string): boolean {
  return text.length <= 253 && text.split(".").every((label) => HOSTNAME.test(label));
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  const local = text.slice(0, Math.max(0, at));
  return LOCAL_PART.test(local) && !/^\.|\.\.|\.$/.test(local) && isHostname(text.slice(at + 1));
}
