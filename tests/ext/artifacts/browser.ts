/** A real browser without a window, where one is installed: opens pages, and tells what their scripts log. */

/** The program; Debian's package has this name. */
const PROGRAM = "chromium";
/** Far beyond what anything here takes; a test that waits for what never comes is to fail, not to hang. */
const MAX_WAIT_MS = 60_000;

/** Whether the tests that need a browser can run here. */
export async function hasBrowser(): Promise<boolean> {
  try {
    return (await new Deno.Command(PROGRAM, { args: ["--version"], stderr: "null" }).output())
      .success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotCapable) {
      return false;
    }
    throw error;
  }
}

/** A browser. Disposing ends it. */
export interface Browser extends AsyncDisposable {
  /** What scripts of pages logged so far. */
  readonly logged: readonly string[];
  /** Opens a page in a tab of its own. */
  open(url: string): Promise<void>;
}

/** Starts a browser with a profile of its own. */
export async function openBrowser(): Promise<Browser> {
  // Short: the browser makes a socket in there, whose whole path may have 107 bytes.
  const profile = await Deno.makeTempDir({ prefix: "b" });
  const child = new Deno.Command(PROGRAM, {
    args: [
      "--headless=new",
      // The pages are ours; as root, as in most containers, it starts in no other way.
      "--no-sandbox",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-breakpad",
      "--no-first-run",
      "--enable-logging=stderr",
      "--remote-debugging-port=0",
      `--user-data-dir=${profile}`,
    ],
    // What it leaves there goes with the profile.
    env: { TMPDIR: profile },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const logged: string[] = [];
  let said = "";
  const address = Promise.withResolvers<string>();
  const reading = (async () => {
    let rest = "";
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      said = (said + text).slice(-2000);
      for (const line of lines) {
        const [, devtools] = /^DevTools listening on ws:\/\/([^/]+)\//.exec(line) ?? [];
        if (devtools !== undefined) address.resolve(devtools);
        const [, message] = /:INFO:CONSOLE.*?\] "(.*)", source: /.exec(line) ?? [];
        if (message !== undefined) logged.push(message);
      }
    }
    address.reject(new Error(`The browser ended before it could be used: ${said}`));
  })();
  // Whoever awaits it gets it; where nobody does any more, it is no failure of its own.
  address.promise.catch(() => {});
  const devtools = await address.promise;
  return {
    logged,
    async open(url) {
      const response = await fetch(`http://${devtools}/json/new?${encodeURI(url)}`, {
        method: "PUT",
      });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`The browser opens no page: ${response.status}`);
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.status;
      await reading;
      await removeProfile(profile);
    },
  };
}

/** Waits until something holds; fails when it does not come in good time. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  const deadline = performance.now() + MAX_WAIT_MS;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`It never happened: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Processes that the browser started may still write for a moment after it. */
async function removeProfile(profile: string): Promise<void> {
  for (let attempt = 0;; attempt++) {
    try {
      return await Deno.remove(profile, { recursive: true });
    } catch (error) {
      if (attempt === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
