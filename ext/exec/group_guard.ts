/**
 * Ends a command together with all that it started. A command leads a process group of its own; a small `sh` beside it, which nothing
 * that is sent to the command reaches, signals the whole group: when it is told to, and when its pipe ends because the program is gone,
 * however that went. The runtime could signal a group itself only with the permission to run anything.
 *
 * Not held: what leaves the group (`setsid`), which, if it also holds the command's unread input, keeps the program from ending by itself;
 * and a program that is killed in the instant between a command's start and the guard's hearing of it. On Windows there are no groups: the
 * command itself is ended, what it started is not.
 */

/** What a group can be sent. */
export type GroupSignal = "TERM" | "KILL";

/** Watches over one command. Owned by whoever started it, who calls `end`. */
export interface GroupGuard {
  /** Resolves when the guard can be told of a command at once: the instant in which it does not know of one is then as short as can be. */
  ready(): Promise<void>;
  /** Takes over a command that was started with `detached`. */
  watch(child: Deno.ChildProcess): void;
  /** Sends a signal to the group; nothing happens when it is empty. */
  signal(signal: GroupSignal): void;
  /** Kills what is left of the group, and resolves when the guard is gone. More calls do nothing more. */
  end(): Promise<void>;
}

/** Starts a guard. Throws what the runtime throws when `sh` cannot be started. */
export function startGroupGuard(): GroupGuard {
  return Deno.build.os === "windows" ? new CommandGuard() : new ShellGuard();
}

/** Reads the group's number first, then signals. What a terminal sends to the program must not end the guard before the group. */
const GUARD_SCRIPT = `trap '' HUP INT QUIT TERM PIPE
read -r group || exit 0
while read -r word; do
  case $word in
    TERM | KILL) kill -s "$word" -- "-$group" ;;
    END) exit 0 ;;
  esac
done
kill -s KILL -- "-$group"`;

class ShellGuard implements GroupGuard {
  readonly #shell: Deno.ChildProcess;
  readonly #stdin: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  #child: Deno.ChildProcess | undefined;
  #ended: Promise<void> | undefined;

  constructor() {
    this.#shell = new Deno.Command("sh", {
      args: ["-c", GUARD_SCRIPT],
      clearEnv: true,
      cwd: "/",
      detached: true,
      stdin: "piped",
      stdout: "null",
      stderr: "null",
    }).spawn();
    this.#stdin = this.#shell.stdin.getWriter();
    this.#stdin.closed.catch(() => {});
  }

  /** A stream passes on what is written only once it has begun, which takes a turn. */
  ready(): Promise<void> {
    return this.#stdin.ready;
  }

  watch(child: Deno.ChildProcess): void {
    this.#child = child;
    this.#tell(`${child.pid}`);
  }

  signal(signal: GroupSignal): void {
    this.#tell(signal);
  }

  end(): Promise<void> {
    return this.#ended ??= this.#end();
  }

  async #end(): Promise<void> {
    if (this.#child !== undefined) {
      this.#tell("KILL");
      this.#tell("END");
    }
    await this.#stdin.close().catch(() => {});
    await this.#shell.status;
  }

  #tell(word: string): void {
    this.#stdin.write(new TextEncoder().encode(`${word}\n`)).catch(() => {
      // Somebody has killed the guard: the command at least must not stay.
      if (this.#child !== undefined) killCommand(this.#child, "SIGKILL");
    });
  }
}

class CommandGuard implements GroupGuard {
  #child: Deno.ChildProcess | undefined;

  ready(): Promise<void> {
    return Promise.resolve();
  }

  watch(child: Deno.ChildProcess): void {
    this.#child = child;
  }

  signal(signal: GroupSignal): void {
    if (this.#child !== undefined) killCommand(this.#child, `SIG${signal}`);
  }

  end(): Promise<void> {
    this.signal("KILL");
    return Promise.resolve();
  }
}

function killCommand(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch {
    // It has ended by itself.
  }
}
