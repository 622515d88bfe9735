import assert from "node:assert/strict";
import type { SecretUse } from "../../../contracts/secret.ts";
import { fillSecrets } from "./fill_secrets.ts";

Deno.test("whoever fills a secret in is told whether it would travel unencrypted", async () => {
  const uses: SecretUse[] = [];
  const context = {
    fill: (text: string, use: SecretUse) => {
      uses.push(use);
      return Promise.resolve(text);
    },
  };
  const urls = [
    "https://a.example/",
    "http://a.example/",
    "http://[::1]:8080/",
    "http://10.0.0.1/",
  ];
  for (const url of urls) await fillSecrets([url], context);
  assert.deepEqual(uses, [
    { host: "a.example", port: 443, plain: false },
    { host: "a.example", port: 80, plain: true },
    { host: "::1", port: 8080, plain: false },
    { host: "10.0.0.1", port: 80, plain: true },
  ]);
});
