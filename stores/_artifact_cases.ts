/** What every `ArtifactStore` must do. */
import assert from "node:assert/strict";
import {
  type ArtifactInfo,
  type ArtifactOwner,
  MAX_ARTIFACT_BYTES,
  MAX_ARTIFACT_FILENAME_BYTES,
  MAX_ARTIFACT_TITLE_BYTES,
  MAX_ARTIFACT_VERSIONS,
  MAX_SESSION_ARTIFACT_BYTES,
  MAX_SESSION_ARTIFACTS,
  type NewArtifact,
} from "../contracts/artifact.ts";
import {
  anotherHandle,
  type ArtifactStoreFixture,
  type ContractCase,
  nextMillisecond,
} from "./_contract_fixture.ts";
import { FRAGILE_TEXTS, numbersUpTo } from "./_contract_samples.ts";

type ArtifactCase = ContractCase<ArtifactStoreFixture>;

const NOBODY: ArtifactOwner = {};

/** Owners of whom no two are one, although their texts look alike. */
const OWNERS: readonly ArtifactOwner[] = [
  NOBODY,
  { userId: "a" },
  { userId: "" },
  { userId: "any" },
  { userId: "null" },
  { scope: { workspaceId: "a" } },
  { scope: { workspaceId: "A" } },
  { scope: { workspaceId: "a" }, userId: "a" },
  { scope: { workspaceId: "a", projectId: "a" } },
  { scope: { workspaceId: "a", projectId: "" } },
  { scope: { workspaceId: 'a","a' } },
  { scope: { workspaceId: "%" } },
];

function sample(fields: Partial<NewArtifact> = {}): NewArtifact {
  return {
    sessionId: "session",
    filename: "page.html",
    title: "A page",
    type: "text/html",
    content: "<h1>Hello</h1>",
    ...fields,
  };
}

function withoutContent<T extends ArtifactInfo>(artifact: T | undefined): ArtifactInfo | undefined {
  if (artifact === undefined) return undefined;
  const { content: _, ...info } = { content: "", ...artifact };
  return info;
}

/** The cases for one handle. */
export const ARTIFACT_CASES: readonly ArtifactCase[] = [
  {
    name: "knows of nothing at first",
    async run({ artifacts }) {
      for (const access of [NOBODY, "any"] as const) {
        assert.deepEqual(await artifacts.list(access), []);
        assert.deepEqual(await artifacts.list(access, { sessionId: "session" }), []);
        assert.equal(await artifacts.read(access, "x"), undefined);
        assert.equal(await artifacts.read(access, ""), undefined);
        assert.equal(await artifacts.remove(access, "x"), false);
      }
    },
  },
  {
    name: "gives back what it saves, and lists it without its content",
    async run({ artifacts }) {
      const before = Date.now();
      const owner = { scope: { workspaceId: "acme", projectId: "web" }, userId: "ada" };
      const saved = await artifacts.save(owner, sample({ content: "Grüße 👋" }));
      const { id, createdAt, savedAt, ...rest } = saved;
      assert.deepEqual(rest, {
        owner,
        sessionId: "session",
        filename: "page.html",
        title: "A page",
        type: "text/html",
        version: 1,
        bytes: 12,
      });
      assert.deepEqual(createdAt, savedAt);
      assert.ok(savedAt.getTime() >= before && savedAt.getTime() <= Date.now());
      assert.deepEqual(await artifacts.list(owner), [saved]);
      assert.deepEqual(await artifacts.read(owner, id), { ...saved, content: "Grüße 👋" });
      const plain = await artifacts.save(NOBODY, sample());
      assert.deepEqual(plain.owner, {});
      assert.deepEqual(withoutContent(await artifacts.read("any", plain.id)), plain);
    },
  },
  {
    name:
      "makes a new version of the same artifact where the name is the same, and keeps the old one",
    async run({ artifacts }) {
      const first = await artifacts.save(NOBODY, sample({ content: "one" }));
      await nextMillisecond();
      const second = await artifacts.save(
        NOBODY,
        sample({ content: "two", title: "Two", type: "text/plain" }),
      );
      assert.deepEqual([second.id, second.version], [first.id, 2]);
      assert.deepEqual(second.createdAt, first.createdAt);
      assert.ok(second.savedAt > first.savedAt);
      assert.deepEqual(await artifacts.list(NOBODY), [second]);
      assert.deepEqual(await artifacts.read(NOBODY, first.id), { ...second, content: "two" });
      assert.deepEqual(await artifacts.read(NOBODY, first.id, { version: 2 }), {
        ...second,
        content: "two",
      });
      assert.deepEqual(await artifacts.read(NOBODY, first.id, { version: 1 }), {
        ...first,
        content: "one",
      });
      assert.equal(await artifacts.read(NOBODY, first.id, { version: 3 }), undefined);
    },
  },
  {
    name: "takes another name, session or owner for another artifact",
    async run({ artifacts }) {
      const saved = [
        await artifacts.save(NOBODY, sample()),
        await artifacts.save(NOBODY, sample({ filename: "Page.html" })),
        await artifacts.save(NOBODY, sample({ filename: "page.html " })),
        await artifacts.save(NOBODY, sample({ sessionId: "Session" })),
        await artifacts.save({ userId: "session" }, sample()),
      ];
      assert.deepEqual(saved.map(({ version }) => version), [1, 1, 1, 1, 1]);
      assert.equal(new Set(saved.map(({ id }) => id)).size, saved.length);
    },
  },
  {
    name: "gives ids that nobody can guess and every URL can hold",
    async run({ artifacts }) {
      const ids = new Set<string>();
      for (const n of numbersUpTo(64)) {
        ids.add((await artifacts.save(NOBODY, sample({ filename: `${n}` }))).id);
      }
      assert.equal(ids.size, 64);
      // A sign of 64 has 6 bits, so that fewer than 22 cannot have 128. In each place several signs come up, or it would have no part in it.
      for (const id of ids) assert.match(id, /^[A-Za-z0-9_-]{22,64}$/);
      for (const place of numbersUpTo(22)) {
        assert.ok(new Set([...ids].map((id) => id[place])).size > 4, `place ${place}`);
      }
    },
  },
  {
    name: "keeps owners apart: nothing of one is listed, read, changed or removed by another",
    async run({ artifacts }) {
      const ids: string[] = [];
      for (const [at, owner] of OWNERS.entries()) {
        ids.push((await artifacts.save(owner, sample({ content: `${at}` }))).id);
      }
      for (const [at, owner] of OWNERS.entries()) {
        assert.deepEqual((await artifacts.list(owner)).map(({ id }) => id), [ids[at]]);
        for (const [other, id] of ids.entries()) {
          const found = await artifacts.read(owner, id);
          assert.equal(found?.content, other === at ? `${at}` : undefined, `${at} ${other}`);
          assert.equal(await artifacts.read(owner, id, { version: 1 }) !== undefined, other === at);
          if (other !== at) assert.equal(await artifacts.remove(owner, id), false);
        }
      }
      assert.equal((await artifacts.list("any")).length, OWNERS.length);
      for (const [at, id] of ids.entries()) {
        assert.deepEqual((await artifacts.read("any", id))?.owner, OWNERS[at]);
      }
    },
  },
  {
    name:
      "lists the last saved first, those of one session where it is named, and no more than wanted",
    async run({ artifacts }) {
      for (const name of ["a", "b", "c"]) await artifacts.save(NOBODY, sample({ filename: name }));
      await artifacts.save(NOBODY, sample({ filename: "d", sessionId: "other" }));
      await artifacts.save(NOBODY, sample({ filename: "a" }));
      const names = async (...args: Parameters<typeof artifacts.list>) =>
        (await artifacts.list(...args)).map(({ filename }) => filename).join("");
      for (const access of [NOBODY, "any"] as const) {
        assert.equal(await names(access), "adcb");
        assert.equal(await names(access, { limit: 2 }), "ad");
        assert.equal(await names(access, { limit: 0 }), "");
        assert.equal(await names(access, { sessionId: "session" }), "acb");
        assert.equal(await names(access, { sessionId: "session", limit: 2 }), "ac");
        assert.equal(await names(access, { sessionId: "third" }), "");
      }
    },
  },
  {
    name: "removes an artifact with all its versions, and begins anew under its name",
    async run({ artifacts }) {
      const { id } = await artifacts.save(NOBODY, sample());
      await artifacts.save(NOBODY, sample());
      const stays = await artifacts.save(NOBODY, sample({ filename: "stays" }));
      assert.equal(await artifacts.remove(NOBODY, id), true);
      assert.equal(await artifacts.remove(NOBODY, id), false);
      for (const version of [undefined, 1, 2]) {
        const options = version === undefined ? {} : { version };
        assert.equal(await artifacts.read("any", id, options), undefined);
      }
      const again = await artifacts.save(NOBODY, sample());
      assert.notEqual(again.id, id);
      assert.equal(again.version, 1);
      assert.equal(await artifacts.remove("any", again.id), true);
      assert.deepEqual(await artifacts.list("any"), [stays]);
    },
  },
  {
    name: `keeps the ${MAX_ARTIFACT_VERSIONS} newest versions, under their numbers`,
    async run({ artifacts }) {
      let id = "";
      for (const n of numbersUpTo(MAX_ARTIFACT_VERSIONS + 2)) {
        ({ id } = await artifacts.save(NOBODY, sample({ content: `version ${n + 1}` })));
      }
      for (const n of numbersUpTo(MAX_ARTIFACT_VERSIONS + 2)) {
        const found = await artifacts.read(NOBODY, id, { version: n + 1 });
        assert.equal(found?.content, n < 2 ? undefined : `version ${n + 1}`);
      }
    },
  },
  {
    name: "keeps texts as they are",
    async run({ artifacts }) {
      for (const text of FRAGILE_TEXTS) {
        const saved = await artifacts.save(NOBODY, sample({ content: text, title: text }));
        const found = await artifacts.read(NOBODY, saved.id);
        assert.deepEqual([found?.content, found?.title], [text, text]);
        assert.equal(found?.bytes, new TextEncoder().encode(text).length);
      }
      for (const filename of ["Grüße 👋.txt", "%41%2F?#&'\".md", "-rf", "a", "con", "..."]) {
        const saved = await artifacts.save(NOBODY, sample({ filename }));
        assert.equal((await artifacts.read(NOBODY, saved.id))?.filename, filename);
      }
      const { id } = await artifacts.save(NOBODY, sample({ content: "ok \uD83D end" }));
      assert.equal((await artifacts.read(NOBODY, id))?.content, "ok \uFFFD end");
    },
  },
  {
    name: "refuses what is no artifact or too long, naming size and bound, and keeps nothing of it",
    async run({ artifacts }) {
      const save = (fields: object, owner: unknown = NOBODY) =>
        artifacts.save(owner as ArtifactOwner, { ...sample(), ...fields } as NewArtifact);
      for (
        const wrong of [
          ...[undefined, 1, "", ".", "..", "a/b", "a\\b", "a\0", "a\n", "\u202egpj.exe", "\uD83D"]
            .map((filename) => ({ filename })),
          ...[undefined, "", "html", "Text/HTML", "text/html; charset=utf-8", "text/html\n"]
            .map((type) => ({ type })),
          { title: 1 },
          { content: undefined },
          { content: null },
          { sessionId: "" },
        ]
      ) await assert.rejects(save(wrong), TypeError, JSON.stringify(wrong));
      await assert.rejects(save({}, null), TypeError);
      await assert.rejects(save({}, "any"), TypeError);
      await assert.rejects(save({}, { userId: "\uD83D" }), TypeError);
      await assert.rejects(save({}, { scope: {} }), TypeError);
      await assert.rejects(artifacts.list("all" as never), TypeError);
      await assert.rejects(artifacts.list(undefined as never), TypeError);
      await assert.rejects(artifacts.list(NOBODY, { limit: -1 }), RangeError);
      await assert.rejects(artifacts.read(undefined as never, "x"), TypeError);
      await assert.rejects(artifacts.read(NOBODY, 1 as never), TypeError);
      await assert.rejects(artifacts.remove(undefined as never, "x"), TypeError);
      for (const version of [0, -1, 1.5, NaN, "1" as never]) {
        await assert.rejects(artifacts.read(NOBODY, "x", { version }), RangeError);
      }
      const tooLong = /1048576 bytes.*1048577/;
      await assert.rejects(save({ content: "x".repeat(MAX_ARTIFACT_BYTES + 1) }), tooLong);
      const half = MAX_ARTIFACT_BYTES / 2;
      await assert.rejects(save({ content: "é".repeat(half) + "x" }), tooLong);
      const longTitle = "x".repeat(MAX_ARTIFACT_TITLE_BYTES + 1);
      await assert.rejects(save({ title: longTitle }), RangeError);
      const longName = "x".repeat(MAX_ARTIFACT_FILENAME_BYTES + 1);
      await assert.rejects(save({ filename: longName }), RangeError);
      assert.deepEqual(await artifacts.list("any"), []);
      const { bytes } = await save({ content: "é".repeat(half), filename: longName.slice(1) });
      assert.equal(bytes, MAX_ARTIFACT_BYTES);
    },
  },
  {
    name:
      "refuses one artifact too many in a session, and takes a new version of one that is there",
    async run({ artifacts }) {
      for (const n of numbersUpTo(MAX_SESSION_ARTIFACTS)) {
        await artifacts.save(NOBODY, sample({ filename: `${n}` }));
      }
      const more = sample({ filename: "more" });
      await assert.rejects(artifacts.save(NOBODY, more), /has 100 artifacts/);
      assert.equal((await artifacts.list(NOBODY)).length, MAX_SESSION_ARTIFACTS);
      const seventh = await artifacts.save(NOBODY, sample({ filename: "7" }));
      assert.equal(seventh.version, 2);
      await artifacts.save(NOBODY, { ...more, sessionId: "other" });
      await artifacts.save({ userId: "other" }, more);
      assert.equal(await artifacts.remove(NOBODY, seventh.id), true);
      assert.equal((await artifacts.save(NOBODY, more)).version, 1);
    },
  },
  {
    name:
      "refuses more bytes than a session may have, all versions counted, and changes nothing then",
    async run({ artifacts }) {
      const content = "x".repeat(MAX_ARTIFACT_BYTES);
      const full = MAX_SESSION_ARTIFACT_BYTES / MAX_ARTIFACT_BYTES;
      for (const n of numbersUpTo(full)) {
        await artifacts.save(NOBODY, sample({ content, filename: `${n % 4}` }));
      }
      const newest = await artifacts.list(NOBODY);
      const bound = /may have 67108864 bytes.*would have 67108866/;
      for (const filename of ["0", "new"]) {
        await assert.rejects(artifacts.save(NOBODY, sample({ filename, content: "xx" })), bound);
      }
      assert.deepEqual(await artifacts.list(NOBODY), newest);
      const first = newest.at(-1)!;
      assert.notEqual(await artifacts.read(NOBODY, first.id, { version: 1 }), undefined);
      await artifacts.save(NOBODY, sample({ content, sessionId: "other" }));
      await artifacts.save({ userId: "other" }, sample({ content }));
      await artifacts.remove(NOBODY, first.id);
      await artifacts.save(NOBODY, sample({ content }));
    },
  },
];

/** The cases for two handles on one storage. */
export const SHARED_ARTIFACT_CASES: readonly ArtifactCase[] = [
  {
    name: "gives the versions of two handles that save at once a number each, and loses none",
    async run(fixture) {
      const other = await anotherHandle<ArtifactStoreFixture>(fixture);
      try {
        const handles = [fixture.artifacts, other.artifacts];
        const saved = await Promise.all(
          numbersUpTo(MAX_ARTIFACT_VERSIONS).map((n) =>
            handles[n % 2]!.save(NOBODY, sample({ content: `content ${n}` }))
          ),
        );
        assert.equal(new Set(saved.map(({ id }) => id)).size, 1);
        const versions = saved.map(({ version }) => version).sort((a, b) => a - b);
        assert.deepEqual(versions, numbersUpTo(MAX_ARTIFACT_VERSIONS).map((n) => n + 1));
        for (const [n, { id, version }] of saved.entries()) {
          const found = await handles[(n + 1) % 2]!.read(NOBODY, id, { version });
          assert.equal(found?.content, `content ${n}`);
        }
        assert.equal(await other.artifacts.remove(NOBODY, saved[0]!.id), true);
        assert.deepEqual(await fixture.artifacts.list("any"), []);
      } finally {
        await other.close?.();
      }
    },
  },
];
