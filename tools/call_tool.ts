/** Runs a tool: checks the arguments, then does the work. The only road to `Tool.execute`; whether the call may happen is for the gate, before this. */
import type { CallContext } from "../contracts/sandbox.ts";
import type { Tool } from "../contracts/tool.ts";

/**
 * Calls a tool with arguments as a model or a person wrote them.
 *
 * @throws {TypeError} when they do not fit: path, expectation and value of each fault.
 */
export async function callTool(
  tool: Tool,
  { args, context }: { readonly args: unknown; readonly context: CallContext },
): Promise<unknown> {
  const checked = await tool.check(args);
  if (!checked.ok) throw new TypeError(describeIssues(tool.name, checked.issues));
  context.signal.throwIfAborted();
  return await tool.execute(checked.value, context);
}

/** Room for faults in an error: messages to scripts are cut at a kibibyte, in the middle. */
const MAX_BYTES = 900;

/** The faults of a call in one text: whole lines, as many as there is room for. */
export function describeIssues(name: string, issues: readonly string[]): string {
  const head = `the arguments of ${name} do not fit: `;
  const encoder = new TextEncoder();
  let left = MAX_BYTES - encoder.encode(head).length;
  const told = issues.filter((issue, index) => {
    left -= encoder.encode(issue).length + 2;
    return left >= 0 || index === 0;
  });
  const missing = issues.length - told.length;
  return head + told.join("; ") + (missing === 0 ? "" : `; ${missing} more`);
}
