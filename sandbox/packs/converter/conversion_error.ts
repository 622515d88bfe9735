/** Why a text was not converted, in words for the script that asked. */

/** What a conversion is called in its errors. */
export interface ConversionName {
  /** The function: `htmlToMarkdown`. */
  readonly call: string;
  /** What it was given: `the HTML`. */
  readonly input: string;
}

/** A text was not converted. The message names the limit that was met, where it was one. */
export class ConversionError extends Error {
  /** Creates an error with a message that a script's author can act on. */
  constructor(name: ConversionName, reason: string) {
    super(`${name.call}: ${reason}`);
    this.name = "ConversionError";
  }
}

/** The text itself is larger than it may be. */
export function inputTooLarge(name: ConversionName, sizes: Sizes): ConversionError {
  return new ConversionError(
    name,
    `${name.input} is ${sizes.bytes} bytes, over the limit of ${sizes.limit} bytes; pass a smaller part of it`,
  );
}

/** A size and what it may be, in bytes. */
export interface Sizes {
  readonly bytes: number;
  readonly limit: number;
}

/** The result is larger than it may be. */
export function outputTooLarge(name: ConversionName, sizes: Sizes): ConversionError {
  return new ConversionError(
    name,
    `the result is ${sizes.bytes} bytes, over the limit of ${sizes.limit} bytes; pass a smaller part of ${name.input}`,
  );
}

/** The conversion took too long. */
export function tookTooLong(name: ConversionName, timeoutMs: number): ConversionError {
  return new ConversionError(
    name,
    `stopped at the limit of ${timeoutMs} ms; pass a smaller part of ${name.input}`,
  );
}

/** The conversion needed too much memory. */
export function outOfMemory(name: ConversionName, memoryMib: number): ConversionError {
  return new ConversionError(
    name,
    `stopped at the memory limit of ${memoryMib} MiB; pass a smaller part of ${name.input}`,
  );
}
