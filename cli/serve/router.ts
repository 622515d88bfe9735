/**
 * From a request to a reply: the checks that all share, then the one route that fits. Whatever fails becomes a reply in JSON.
 */
import { checkSessionId } from "../session_id.ts";
import { CliError } from "../failure.ts";
import type { ListenAddress } from "./address.ts";
import { checkOrigin, checkSite } from "./guard.ts";
import { Refusal, refusalReply } from "./refusal.ts";
import { showsToken } from "./token.ts";

/** A route for whoever shows the token. */
export interface Route {
  /** The method; GET answers HEAD too. */
  readonly method: "GET" | "POST";
  /** The path, in which `:id` stands for a session. */
  readonly path: string;
  /** Answers. What it throws is told as an internal error, unless it is a {@linkcode Refusal}. */
  readonly handle: (request: Request, match: RouteMatch) => Promise<Response>;
}

/** What a path says beside which route it is. */
export interface RouteMatch {
  /** The session; "" where the path has none. */
  readonly sessionId: string;
  /** The query. */
  readonly query: URLSearchParams;
}

/** A route without a token: the beginning of its paths, and what answers. */
export interface OpenRoute {
  /** The beginning, such as `/artifacts/`; a path that has no `/` at its end is meant whole. */
  readonly prefix: string;
  /** Answers to GET and HEAD. */
  readonly handle: (request: Request) => Response | Promise<Response>;
}

/** What a router is made of. */
export interface RouterOptions {
  /** Where the server listens. */
  readonly address: () => ListenAddress;
  /** The token. */
  readonly token: string;
  /** Routes for those who show it. */
  readonly routes: readonly Route[];
  /** Routes for everybody. */
  readonly openRoutes: readonly OpenRoute[];
  /** Takes what failed and is no refusal. */
  readonly onFailure: (error: unknown) => void;
}

/** Makes the function that answers requests. It never rejects. */
export function createRouter(options: RouterOptions): (request: Request) => Promise<Response> {
  return async (request) => {
    try {
      return await answer(request, options);
    } catch (error) {
      if (error instanceof Refusal) return refusalReply(error);
      options.onFailure(error);
      return refusalReply(new Refusal("internal", "The server failed; its log says more."));
    }
  };
}

async function answer(request: Request, options: RouterOptions): Promise<Response> {
  const url = URL.parse(request.url);
  if (url === null) throw new Refusal("bad_request", "The request names no address.");
  checkOrigin(request, { url, address: options.address() });
  const { pathname, searchParams } = url;
  const open = options.openRoutes.find(({ prefix }) =>
    prefix.endsWith("/") ? pathname.startsWith(prefix) : pathname === prefix
  );
  if (open !== undefined) {
    checkMethod(request.method, ["GET"]);
    return await open.handle(request);
  }
  checkSite(request);
  if (!showsToken(request.headers.get("authorization"), options.token)) {
    throw new Refusal(
      "unauthorized",
      "The header Authorization: Bearer TOKEN is missing or wrong.",
      {
        "www-authenticate": 'Bearer realm="agentloop"',
      },
    );
  }
  const fitting = options.routes.flatMap((route) => {
    const id = sessionIn(pathname, route.path);
    return id === undefined ? [] : [{ route, id }];
  });
  if (fitting.length === 0) throw new Refusal("not_found", "There is nothing at this path.");
  checkMethod(request.method, fitting.map(({ route }) => route.method));
  const method = request.method === "HEAD" ? "GET" : request.method;
  for (const { route, id } of fitting) {
    if (route.method !== method) continue;
    return await route.handle(request, { sessionId: decodedId(id), query: searchParams });
  }
  throw new Refusal("not_found", "There is nothing at this path.");
}

function checkMethod(method: string, allowed: readonly string[]): void {
  const all = allowed.includes("GET") ? [...allowed, "HEAD"] : allowed;
  if (all.includes(method)) return;
  throw new Refusal("method_not_allowed", `This path takes ${all.join(", ")}.`, {
    allow: all.join(", "),
  });
}

/** The session as the path writes it, "" where the route has none; `undefined` when the route does not fit. */
function sessionIn(pathname: string, path: string): string | undefined {
  const parts = pathname.split("/");
  const wanted = path.split("/");
  if (parts.length !== wanted.length) return undefined;
  let id = "";
  for (const [index, part] of wanted.entries()) {
    if (part === ":id" && parts[index] !== "") id = parts[index] ?? "";
    else if (part !== parts[index]) return undefined;
  }
  return id;
}

function decodedId(id: string): string {
  if (id === "") return "";
  try {
    return checkSessionId(decodeURIComponent(id));
  } catch (error) {
    if (error instanceof CliError) throw new Refusal("bad_request", error.message);
    throw new Refusal("bad_request", "The session id in the path is not encoded as UTF-8.");
  }
}
