/**
 * Requests of the command's own to an address that a person named, over the same client as those of scripts: no address is dialled but the one that was checked, and none of
 * a private network that was not named.
 */
import type { CallContext, HostFunction } from "../contracts/sandbox.ts";
import type { PolicyChecker } from "../contracts/policy.ts";

/** What {@linkcode guardedFetch} needs. */
export interface GuardedFetchOptions {
  /** Decides where a request may go. */
  readonly policy: PolicyChecker;
  /** Ends connections that are kept. */
  readonly signal: AbortSignal;
}

/**
 * Makes a function that posts texts as `fetch` does. Redirects are not followed. It rejects with a `NotAllowedError` where the policy does not let a request pass.
 */
export async function guardedFetch(
  { policy, signal }: GuardedFetchOptions,
): Promise<(url: string, init: RequestInit) => Promise<Response>> {
  const { fetchPack } = await import("../sandbox/packs/http/http_packs.ts");
  const [request] = fetchPack({}, { signal, sessionId: "" }).functions as [HostFunction];
  return async (url, { method = "GET", headers, body, signal: own }) => {
    const ends = own === undefined || own === null ? signal : AbortSignal.any([signal, own]);
    const options = {
      method,
      headers: Object.fromEntries(new Headers(headers)),
      ...(typeof body === "string" ? { body } : {}),
      redirect: "manual",
    };
    const answer = await request.execute([url, options], contextFor(policy, ends)) as {
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
    };
    return new Response(null, { status: answer.status, headers: { ...answer.headers } });
  };
}

function contextFor(policy: PolicyChecker, signal: AbortSignal): CallContext {
  return {
    signal,
    runId: "",
    sessionId: "",
    emit() {},
    async authorize(aim) {
      const call = { name: "fetch", args: [], sideEffect: true, sessionId: "", ...aim };
      const decision = await policy.check(call);
      if (decision.decision === "allow") return;
      throw new DOMException(decision.reason, "NotAllowedError");
    },
    reserve: () => ({ [Symbol.dispose]() {} }),
    spend() {},
    secret: () => Promise.reject(new Error("there are no secrets here")),
    fill: (text) => Promise.resolve(text),
    redact: (text) => text,
  };
}
