/** What `deno doc` knows of a file: the names it exports, and the types behind them. */

/** A type as `deno doc` writes it; only what the tests look at. */
export interface DocumentedType {
  readonly kind: string;
  readonly repr?: string;
  readonly value?: unknown;
}

interface Declaration {
  readonly kind: string;
  readonly def?: {
    readonly tsType?: DocumentedType;
    /** Of an interface. */
    readonly properties?: readonly { readonly name: string }[];
  };
}

/** One exported name. */
export interface DocumentedSymbol {
  readonly name: string;
  readonly declarations?: readonly Declaration[];
}

/** The names that a file exports, re-exported ones among them. `file` is relative to the project. */
export async function documentedSymbols(file: string): Promise<readonly DocumentedSymbol[]> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["doc", "--json", "--no-lock", file],
    env: { NO_COLOR: "1" },
  }).output();
  if (!success) throw new Error(`deno doc ${file}: ${new TextDecoder().decode(stderr)}`);
  const nodes: Record<string, { symbols: readonly DocumentedSymbol[] }> =
    JSON.parse(new TextDecoder().decode(stdout)).nodes;
  return Object.values(nodes).flatMap((node) => node.symbols);
}

/** The members of an exported union type. */
export async function unionMembers(file: string, name: string): Promise<readonly DocumentedType[]> {
  const symbol = (await documentedSymbols(file)).find((candidate) => candidate.name === name);
  const type = symbol?.declarations?.[0]?.def?.tsType;
  if (type?.kind !== "union") throw new Error(`${file} exports no union type ${name}`);
  return type.value as readonly DocumentedType[];
}
