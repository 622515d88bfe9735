/**
 * The flags of `deno run` that grant a permission, as text for people. Pure.
 */
import { oneLine } from "./terminal_text.ts";

/** The flag that grants it, such as `--allow-net=example.com:443`; in quotes where a shell would take it apart. */
export function flagFor(permission: Deno.PermissionDescriptor): string {
  return flag(permission.name, valueOf(permission));
}

/** The flag that a refusal of the runtime asks for, where its message (`Requires read access to "x", …`) tells. */
export function flagInMessage(message: string): string | undefined {
  const [, name, value] = /Requires (\w+) access(?: to "([^"]*)")?/.exec(message) ?? [];
  return name === undefined ? undefined : flag(name, value);
}

function flag(name: string, value: string | undefined): string {
  const text = oneLine(`--allow-${name}${value === undefined ? "" : `=${value}`}`, 300);
  return /^[\w@%+=:,./[\]-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function valueOf(permission: Deno.PermissionDescriptor): string | undefined {
  switch (permission.name) {
    case "read":
    case "write":
    case "ffi":
      return permission.path === undefined ? undefined : String(permission.path);
    case "net":
    case "import":
      return permission.host;
    case "env":
      return permission.variable;
    case "run":
      return permission.command === undefined ? undefined : String(permission.command);
    case "sys":
      return permission.kind;
  }
}
