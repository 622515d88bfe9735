/** Sessions whose waits this process goes on with. It knows of itself that it has not died: nobody in it takes a call, or a script, from it. */
import { AgentLoopError } from "../contracts/errors.ts";

/** By where it is kept what they wait at. */
const UNDER_WAY = new WeakMap<object, Set<string>>();

/**
 * Keeps everybody else in this process away from what a session waits at, until it is disposed.
 *
 * @param store where that is kept
 * @throws {AgentLoopError} `not_waiting` when this process is at it already.
 */
export function holdSession(store: object, sessionId: string): Disposable {
  const sessions = UNDER_WAY.get(store) ?? new Set();
  if (sessions.has(sessionId)) throw anotherGoesOn(sessionId);
  sessions.add(sessionId);
  UNDER_WAY.set(store, sessions);
  return { [Symbol.dispose]: () => void sessions.delete(sessionId) };
}

/** What whoever comes second is told. */
export function anotherGoesOn(sessionId: string): AgentLoopError {
  return new AgentLoopError(`Another process goes on with the session ${sessionId} already.`, {
    code: "not_waiting",
  });
}
