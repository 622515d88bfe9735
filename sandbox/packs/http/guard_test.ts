import { deepEqual, equal, match, rejects } from "node:assert/strict";
import type { LookupFunction } from "node:net";
import { callEngine, failedCall, Refusal } from "../../../tests/fixtures/http/engine_call.ts";
import { startRawSite, startSite } from "../../../tests/fixtures/http/site.ts";
import { dial, type Route } from "./dial.ts";

/** Nothing here may reach another machine, whatever the test process itself may. */
const permissions: Deno.PermissionOptions = { net: ["127.0.0.1"] };

/** Gives one answer after the other, and the last for good. */
function changingAnswers(...answers: readonly (readonly string[])[]) {
  let asked = 0;
  return {
    get asked() {
      return asked;
    },
    resolve: () => Promise.resolve(answers[Math.min(asked++, answers.length - 1)]!),
  };
}

Deno.test({
  name: "NET-03: a name that changes its answer is asked once, and no other address is dialled",
  permissions,
  async fn() {
    await using inner = await startRawSite((socket) => socket.end());
    const names = changingAnswers(["93.184.216.34"], ["127.0.0.1"]);
    const url = `http://rebind.test:${inner.port}/`;
    // The public address cannot be reached from a test; that nothing else was tried shows at the server.
    const { error, aims } = await failedCall([url], { resolve: names.resolve });
    deepEqual(aims, [{ target: "rebind.test", port: inner.port, network: "public" }]);
    match(error.message, /no permission to connect there/);
    equal(names.asked, 1);
    equal(inner.connections, 0);
  },
});

Deno.test({
  name: "NET-03: the address that was checked is dialled, with the host of the URL",
  permissions,
  async fn() {
    await using site = startSite(() => new Response("mine"));
    const names = changingAnswers(["127.0.0.1"], ["127.0.0.2"]);
    const { response } = await callEngine([`http://rebind.test:${site.port}/`], {
      resolve: names.resolve,
    });
    equal(response.body, "mine");
    equal(names.asked, 1);
    equal(site.hits[0]?.headers["host"], `rebind.test:${site.port}`);
  },
});

for (
  const [second, addresses] of [
    ["10.0.0.5", ["93.184.216.34", "10.0.0.5"]],
    ["::1", ["93.184.216.34", "::1"]],
    ["a mapped one", ["::ffff:127.0.0.1", "93.184.216.34"]],
  ] as const
) {
  Deno.test({
    name: `NET-10: a name with a public address and ${second} is private`,
    permissions,
    async fn() {
      const { error, aims } = await failedCall(["http://both.test/"], {
        resolve: () => Promise.resolve(addresses),
        refuse: (aim) => aim.network === "private",
      });
      deepEqual(aims, [{ target: "both.test", port: 80, network: "private" }]);
      equal(error instanceof Refusal, true);
    },
  });
}

Deno.test("guard: localhost is private even where a resolver says otherwise", async () => {
  const { aims } = await failedCall(["http://x.localhost/"], {
    resolve: () => Promise.resolve(["93.184.216.34"]),
    refuse: () => true,
  });
  deepEqual(aims, [{ target: "x.localhost", port: 80, network: "private" }]);
});

for (const answer of [[], ["not an address"], ["fe80::1%eth0"], ["93.184.216.34", "x"]]) {
  Deno.test(`guard: the answer ${JSON.stringify(answer)} of a resolver is unusable`, async () => {
    const { error, aims } = await failedCall(["http://odd.test/"], {
      resolve: () => Promise.resolve(answer),
    });
    equal(error.message, "odd.test cannot be asked: the name has no usable address");
    deepEqual(aims, []);
  });
}

Deno.test("guard: a refused host is not connected to", async () => {
  await using site = await startRawSite((socket) => socket.end());
  const { error } = await failedCall([`http://a.test:${site.port}/`], { refuse: () => true });
  equal(error instanceof Refusal, true);
  equal(site.connections, 0);
});

/** Where the runtime has to look a name up itself, its answers are looked at; here the test answers in its place. */
function answers(...addresses: readonly string[]): LookupFunction {
  return (_host, options, callback) => {
    const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    queueMicrotask(() =>
      options.all === true
        ? callback(null, found)
        : callback(null, found[0]!.address, found[0]!.family)
    );
  };
}

const ROUTE: Omit<Route, "port"> = {
  host: "rebind.test",
  secure: false,
  addresses: ["93.184.216.34"],
  network: "public",
  bySystem: true,
};

for (
  const [found, addresses] of [
    ["a private address", ["127.0.0.1"]],
    ["a private address behind a public one", ["93.184.216.34", "127.0.0.1"]],
    ["a private address before a public one", ["127.0.0.1", "93.184.216.34"]],
  ] as const
) {
  for (const secure of [false, true]) {
    Deno.test({
      name: `NET-03: where the runtime's look-up finds ${found}, nothing is dialled (${
        secure ? "https" : "http"
      })`,
      permissions,
      async fn() {
        await using inner = await startRawSite((socket) => socket.end());
        const { signal } = new AbortController();
        await rejects(
          dial({ ...ROUTE, secure, port: inner.port }, { signal, lookup: answers(...addresses) }),
          { message: "rebind.test leads to another network than when it was checked" },
        );
        equal(inner.connections, 0);
      },
    });
  }
}

Deno.test("guard: a host that was allowed as private may move within its network", async () => {
  await using inner = await startRawSite((socket) => socket.end());
  const socket = await dial(
    { ...ROUTE, network: "private", port: inner.port },
    { signal: new AbortController().signal, lookup: answers("127.0.0.1") },
  );
  socket.destroy();
  await inner.allClosed();
  equal(inner.connections, 1);
});
