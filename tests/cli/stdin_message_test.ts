import { match, ok, strictEqual } from "node:assert/strict";
import { startOpenAIServer } from "../fixtures/openai_server.ts";
import { openHome } from "./cli_process.ts";

/** The last thing that the user said in a request. */
// deno-lint-ignore no-explicit-any -- the body as it was sent
function lastUserMessage(body: any): string {
  return body.messages.filter((message: { role: string }) => message.role === "user").at(-1)
    .content;
}

Deno.test("CLI-04: a message given as argument never waits for stdin, even for a pipe that nobody closes", async () => {
  await using server = await startOpenAIServer({ replies: ["hi"] });
  await using home = await openHome(server.baseUrl);
  const { code, stdout } = await home.run(["say", "hi"], { stdin: "open" });
  strictEqual(code, 0);
  strictEqual(stdout, "hi\n");
  match(lastUserMessage(server.requests[0]?.body), /say hi/);
});

Deno.test("the message comes from stdin when there is none among the arguments", async () => {
  await using server = await startOpenAIServer({ replies: ["hi"] });
  await using home = await openHome(server.baseUrl);
  const { code, stdout } = await home.run([], { stdin: "from the pipe\n" });
  strictEqual(code, 0);
  strictEqual(stdout, "hi\n");
  match(lastUserMessage(server.requests[0]?.body), /from the pipe/);
});

Deno.test("a dash among the words stands for stdin", async () => {
  await using server = await startOpenAIServer({ replies: ["hi"] });
  await using home = await openHome(server.baseUrl);
  const { code } = await home.run(["run", "Sum", "up:", "-"], { stdin: "a long text\n" });
  strictEqual(code, 0);
  match(lastUserMessage(server.requests[0]?.body), /Sum up:\n\na long text/);
});

Deno.test("text on stdin that is not given to anyone is left alone", async () => {
  await using server = await startOpenAIServer({ replies: ["hi"] });
  await using home = await openHome(server.baseUrl);
  await home.run(["say hi"], { stdin: "not this" });
  ok(!JSON.stringify(server.requests[0]?.body).includes("not this"));
});

Deno.test("an empty message is wrong use, and nothing is asked", async () => {
  await using server = await startOpenAIServer();
  await using home = await openHome(server.baseUrl);
  for (const stdin of ["", "  \n"]) {
    const { code, stdout, stderr } = await home.run([], { stdin });
    strictEqual(code, 3);
    strictEqual(stdout, "");
    strictEqual(
      stderr,
      "agentloop: the message is empty: nothing came on stdin\nTry: agentloop help\n",
    );
  }
});

Deno.test("what is not text is refused", async () => {
  await using home = await openHome();
  await Deno.writeFile(`${home.path}/image`, new Uint8Array([0xff, 0xfe, 0x00]));
  const { code, stderr } = await home.run(["--context", "@image", "hi"], {
    env: { OPENAI_BASE_URL: "http://127.0.0.1:9/v1" },
  });
  strictEqual(code, 1);
  match(stderr, /^agentloop: Cannot use the file image for --context: it is not UTF-8 text\.\n/);
});
