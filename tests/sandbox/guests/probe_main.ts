/** Stands in the place of the guest program and tells, as the value of each script, what its process may do. */
import {
  createFrameReader,
  encodeFrame,
  type GuestMessage,
  type HostMessage,
} from "../../../sandbox/channel.ts";

/** What the probe found. */
export interface ProbeReport {
  /** State of each permission. */
  readonly permissions: Readonly<Record<string, string>>;
  /** What each attempt came to: "done", or the name of the error. */
  readonly attempts: Readonly<Record<string, string>>;
}

const KINDS = ["read", "write", "net", "env", "run", "sys", "ffi", "import"] as const;

/** The script that is sent is the address of a loopback server that must not hear of this. */
async function probe(server: string): Promise<ProbeReport> {
  const permissions = Object.fromEntries(
    KINDS.map((name) => [name, Deno.permissions.querySync({ name }).state]),
  );
  const attempts: Readonly<Record<string, () => unknown>> = {
    "read a file": () => Deno.readTextFileSync("/etc/hostname"),
    "write a file": () => Deno.writeTextFileSync("/tmp/agentloop_probe", "x"),
    "read the environment": () => Deno.env.toObject(),
    "start a program": () => new Deno.Command("true").outputSync(),
    "start the runtime": () =>
      new Deno.Command(Deno.execPath(), { args: ["--version"] }).outputSync(),
    "ask the system": () => Deno.hostname(),
    "load a library": () => Deno.dlopen("libc.so.6", {}),
    "fetch": () => fetch(`${server}/fetch?secret`),
    "connect": () => Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(server).port) }),
    ...Object.fromEntries(
      modulesNobodyHas(server).map((name) => [`import ${name}`, () => import(name)]),
    ),
    "start a worker over http": () => startWorker(`${server}/worker.ts?secret`),
    "start a worker with more permission": () =>
      startWorker("data:text/javascript,Deno.readTextFileSync('/etc/hostname')"),
  };
  const results: Record<string, string> = {};
  for (const [name, attempt] of Object.entries(attempts)) {
    try {
      await attempt();
      results[name] = "done";
    } catch (error) {
      results[name] = error instanceof Error ? error.name : String(error);
    }
  }
  return { permissions, attempts: results };
}

/** Built when it runs: what is written down as an import would be fetched with the program. */
function modulesNobodyHas(server: string): readonly string[] {
  return [
    `${server}/module.ts?secret`,
    "https://example.test/module.ts?secret",
    "jsr:@std/text@1.0.0/closest-string",
    "npm:agentloop-probe-absent@1.0.0",
    "file:///etc/hostname",
  ];
}

/** Fails as the worker does. */
function startWorker(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(url, { type: "module" });
    worker.onerror = (event) => {
      event.preventDefault();
      worker.terminate();
      reject(new TypeError(event.message));
    };
    worker.onmessage = () => resolve();
  });
}

function send(message: GuestMessage, body?: string): void {
  const frame = encodeFrame(message, body);
  for (let at = 0; at < frame.length;) at += Deno.stdout.writeSync(frame.subarray(at));
}

async function main(): Promise<void> {
  const reader = createFrameReader<HostMessage>(() => Infinity);
  send({ type: "ready" });
  for await (const piece of Deno.stdin.readable) {
    reader.push(piece, ({ message }) => {
      if (message.type !== "evaluate") return;
      probe(message.source).then((report) =>
        send({
          type: "done",
          id: message.id,
          hasValue: true,
          execution: { logs: "", notes: [], guestMs: 0, hostCalls: 0, clockMs: [] },
        }, JSON.stringify(report))
      );
    });
  }
}

if (import.meta.main) await main();
