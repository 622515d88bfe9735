/** Every command of a chat, once: what runs them, what explains them, and what suggests them are made of this table. */
import { approve } from "./approve.ts";
import { type ChatCommand, takesNothing } from "./chat_command.ts";
import { compact } from "./compact.ts";
import { model } from "./model.ts";
import { newSession } from "./new_session.ts";
import { sessions } from "./sessions.ts";

/** The commands, in the order in which `/help` lists them; it is told apart, since it is made of them. */
export const CHAT_COMMANDS: readonly ChatCommand[] = [
  { name: "/new", usage: "", summary: "begin a new session", run: newSession },
  {
    name: "/sessions",
    usage: "[ID]",
    summary: "list the newest sessions; go on with one, by id or number",
    run: sessions,
  },
  {
    name: "/model",
    usage: "[NAME]",
    summary: "show the model; ask another one from now on",
    run: model,
  },
  {
    name: "/compact",
    usage: "[TEXT]",
    summary: "fold old history into a summary, which is to heed TEXT",
    run: compact,
  },
  {
    name: "/approve",
    usage: "[WAY]",
    summary: "show what is allowed; answer by prompt, auto or deny; forget [WHAT]",
    run: approve,
  },
  { name: "/exit", usage: "", summary: "end; so do Ctrl-D and /quit", run: end("/exit") },
];

/** Commands that have another name in the list. */
export const OTHER_NAMES: readonly ChatCommand[] = [
  { name: "/quit", usage: "", summary: "end", run: end("/quit") },
];

function end(name: string): ChatCommand["run"] {
  return (_chat, rest) => {
    takesNothing(name, rest);
    return Promise.resolve("end");
  };
}
