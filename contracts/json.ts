/** A value that JSON text can hold: the only kind of value that crosses a border in this project. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };
