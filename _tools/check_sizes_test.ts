import { deepEqual } from "node:assert/strict";
import { checkSizes, MAX_LINES, MAX_TEST_LINES } from "./check_sizes.ts";
import { makeUpTree } from "./made_up_tree.ts";

async function problemsOf(files: Readonly<Record<string, string>>): Promise<string[]> {
  await using tree = await makeUpTree(files);
  return checkSizes(tree.root);
}

Deno.test("sizes: a file at its bound passes, with or without a last line end", async () => {
  deepEqual(
    await problemsOf({
      "loop/a.ts": "//\n".repeat(MAX_LINES),
      "loop/b.ts": "//\n".repeat(MAX_LINES - 1) + "//",
      "loop/a_test.ts": "//\n".repeat(MAX_TEST_LINES),
      "tests/fixtures/server.ts": "//\n".repeat(MAX_TEST_LINES),
      "loop/_private.ts": "//\n",
    }),
    [],
  );
});

Deno.test("sizes: one line more is refused", async () => {
  deepEqual(
    await problemsOf({
      "loop/a.ts": "//\n".repeat(MAX_LINES + 1),
      "loop/a_test.ts": "//\n".repeat(MAX_TEST_LINES) + "//",
    }),
    [
      "loop/a.ts: 401 lines, 400 at most; split it by responsibility",
      "loop/a_test.ts: 801 lines, 800 at most; split it by responsibility",
    ],
  );
});

Deno.test("sizes: names that say nothing are refused, as file and as folder", async () => {
  deepEqual(
    await problemsOf({
      "llm/utils.ts": "",
      "llm/helpers_test.ts": "",
      "llm/common/retry.ts": "",
      "llm/misc.js": "",
      "llm/retry.ts": "",
    }),
    [
      'llm/common/retry.ts: "common" says nothing; name it after what it does',
      'llm/helpers_test.ts: "helpers_test" says nothing; name it after what it does',
      'llm/misc.js: "misc" says nothing; name it after what it does',
      'llm/utils.ts: "utils" says nothing; name it after what it does',
    ],
  );
});

Deno.test("sizes: names are in snake_case", async () => {
  deepEqual(await problemsOf({ "llm/openAi.ts": "", "llm/open-ai.ts": "", "Llm/a.ts": "" }), [
    'Llm/a.ts: "Llm" is not in snake_case',
    'llm/open-ai.ts: "open-ai" is not in snake_case',
    'llm/openAi.ts: "openAi" is not in snake_case',
  ]);
});

Deno.test("sizes: what is not ours is not looked at", async () => {
  deepEqual(
    await problemsOf({ "node_modules/a/utils.js": "", ".cache/common.ts": "", "README.md": "" }),
    [],
  );
});
