/** Memory of a process with all its children, as the kernel shares it out (PSS): no page is counted twice. Linux only. */

/** Sum of the PSS of a process and its descendants, in bytes. */
export async function treePss(pid: number): Promise<number> {
  let sum = await pssOf(pid);
  for (const child of await childrenOf(pid)) sum += await treePss(child);
  return sum;
}

async function pssOf(pid: number): Promise<number> {
  try {
    const text = await Deno.readTextFile(`/proc/${pid}/smaps_rollup`);
    return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0) * 1024;
  } catch {
    return 0; // gone meanwhile
  }
}

async function childrenOf(pid: number): Promise<number[]> {
  const found = new Set<number>();
  try {
    for await (const task of Deno.readDir(`/proc/${pid}/task`)) {
      const text = await Deno.readTextFile(`/proc/${pid}/task/${task.name}/children`);
      for (const child of text.trim().split(" ")) if (child !== "") found.add(Number(child));
    }
  } catch {
    // gone meanwhile
  }
  return [...found];
}

/** The highest PSS of a process tree while some work goes on, looked at every few milliseconds. */
export async function peakPss<T>(
  pid: number,
  work: () => Promise<T>,
): Promise<{ readonly value: T; readonly peakBytes: number }> {
  let peakBytes = 0;
  let going = true;
  const watching = (async () => {
    while (going) {
      peakBytes = Math.max(peakBytes, await treePss(pid));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  try {
    return { value: await work(), peakBytes };
  } finally {
    going = false;
    await watching;
  }
}
