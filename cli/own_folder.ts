/** Where the command's own files lie. They are loaded as they are needed, which takes permission to read them. */

/** The folder; nothing for a compiled program and for what comes from a registry, whose files need no permission to be read. */
export function ownFolder(): URL | undefined {
  const url = new URL("../", import.meta.url);
  return Deno.build.standalone || url.protocol !== "file:" ? undefined : url;
}
