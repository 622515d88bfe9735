/**
 * The HTTP API of the demo's shop, on loopback: `GET /orders?page=N` and `GET /customers`.
 */
import { ordersOnPage, PAGE_COUNT, type ShopData } from "./shop_data.ts";

/** A running shop. Disposing it closes the port. */
export interface ShopServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly baseUrl: string;
  /** Host and port, as a list of allowed hosts takes it. */
  readonly host: string;
  /** Requests that were answered so far. */
  readonly requestCount: number;
}

/** Serves the shop on a free port of 127.0.0.1. Needs permission to listen there. */
export function startShopServer(data: ShopData): ShopServer {
  let requestCount = 0;
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => {
      requestCount++;
      const { pathname, searchParams } = new URL(request.url);
      if (pathname === "/customers") return Response.json(data.customers);
      if (pathname === "/orders") {
        const page = Number(searchParams.get("page") ?? "1");
        return Response.json({ page, pages: PAGE_COUNT, orders: ordersOnPage(data, page) });
      }
      return Response.json({ error: `there is no ${pathname}` }, { status: 404 });
    },
  );
  const host = `127.0.0.1:${server.addr.port}`;
  return {
    baseUrl: `http://${host}`,
    host,
    get requestCount() {
      return requestCount;
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
