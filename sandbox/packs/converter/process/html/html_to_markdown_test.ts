import { equal, throws } from "node:assert/strict";
import { htmlToMarkdown } from "./html_to_markdown.ts";

/** What the same input becomes: name, HTML, Markdown. */
const CASES: readonly (readonly [name: string, html: string, markdown: string])[] = [
  ["nothing", "", ""],
  ["a whole page", "<!doctype html><head><title>T</title></head><body><h1>A</h1>b", "# A\n\nb"],
  ["headings", "<h1>a</h1><h2>b<br>c</h2><h6>C #</h6><h3> </h3>", "# a\n\n## b c\n\n###### C \\#"],
  ["links stay relative", '<a href="../a/b?c=1&amp;d#e">x</a>', "[x](../a/b?c=1&d#e)"],
  ["a link with spaces", '<a href=" a b ">x</a>', "[x](<a b>)"],
  ["a link with brackets", '<a href="a_(b)">x</a> <a href="a)">y</a>', "[x](a_(b)) [y](<a)>)"],
  ["a script's link", '<a href="javascript:void 0">x</a>', "x"],
  ["a link without text", '<a href="#a"></a><a href="b" aria-label="B"></a>', "[B](b)"],
  [
    "a link around blocks",
    '<a href="a"><h3>T</h3></a><a href="b"><p>x</p><p>y</p></a>',
    "### [T](a)\n\n[x y](b)",
  ],
  ["a link behind a mark", 'wow!<a href="a">x</a> yes! <b>no!</b>', "wow\\![x](a) yes! **no!**"],
  [
    "images",
    '<img src="a.png" alt="b]"><img alt="c"><img src="d.png">',
    "![b\\]](a.png)c![](d.png)",
  ],
  ["an image in the page", '<img alt=a src="data:image/png;base64,AAAA">', "![a](data:image/png)"],
  ["a lazy image", '<img src="spacer.gif" data-src="a.png" alt=a>', "![a](a.png)"],
  [
    "emphasis",
    "<i>a</i> <b>b<strong>c</strong></b> d<em>e</em>f <s>g</s>",
    "*a* **bc** d*e*f ~~g~~",
  ],
  ["emphasis over blocks", "<b><p>a</p><p>b</p></b>", "a\n\nb"],
  ["spaces in emphasis", "a<b> b </b>c", "a **b** c"],
  ["raised text", "x<sup>2</sup> y<sup><a href=#n>1</a></sup>", "x<sup>2</sup> y[1](#n)"],
  ["breaks", "a<br>b<br><br>c<br><p>d<br></p>", "a  \nb\n\nc\n\nd"],
  ["a rule", "a<hr>b<ul><li><hr></ul>", "a\n\n***\n\nb\n\n- ***"],
  [
    "quotes",
    "<blockquote><p>a<p>b<blockquote>c</blockquote></blockquote>",
    "> a\n>\n> b\n>\n> > c",
  ],
  ["nested lists", "<ul><li>a<ul><li>b</ul><li>c</ul>", "- a\n  - b\n- c"],
  ["a list beside its item", "<ul><li>a</li><ul><li>b</li></ul><li>c</ul>", "- a\n  - b\n- c"],
  ["loose items", "<ol><li><p>a</p><p>b</p><li><p>c</p></ol>", "1. a\n\n   b\n\n2. c"],
  ["numbers", "<ol start=9><li>a<li>b<li value=20>c</ol>", "9. a\n10. b\n20. c"],
  ["items without a list", "x<li>a<li>b", "x\n\n- a\n- b"],
  [
    "tasks",
    "<ul><li><input type=checkbox checked> a<li><input type=checkbox>b</ul>",
    "- [x] a\n- [ ] b",
  ],
  ["code", "<code>a_b</code> <code>a`b</code> <kbd>`c`</kbd>", "`a_b` ``a`b`` `` `c` ``"],
  ["links in code", "<code>A&lt;<a href=b>B</a>&gt;</code>", "`A<`[`B`](b)`>`"],
  ["a block of code", '<pre><code class="language-js">a\n  b\n</code></pre>', "```js\na\n  b\n```"],
  [
    "a block in a wrapper",
    '<div class="highlight-python"><div><pre>a</pre></div></div>',
    "```python\na\n```",
  ],
  [
    "other language classes",
    '<pre class="brush: css">a</pre><pre><code class="hljs go">b</code></pre>',
    "```css\na\n```\n\n```go\nb\n```",
  ],
  ["lines as elements", "<pre><div>a</div><div></div><div>b</div></pre>", "```\na\n\nb\n```"],
  ["lines as breaks", "<pre>a<br>&nbsp;b<button>Copy</button></pre>", "```\na\n b\n```"],
  [
    "text that looks like Markdown",
    "<p># a<p>1. b<p>- c<p>&lt;i&gt; &amp;amp; *d* _e_ f_g h * i",
    "\\# a\n\n1\\. b\n\n\\- c\n\n\\<i> \\&amp; \\*d\\* \\_e\\_ f_g h * i",
  ],
  [
    "a table",
    "<table><thead><tr><th>a<th>b<tbody><tr><td>1<td>2</table>",
    "| a | b |\n| --- | --- |\n| 1 | 2 |",
  ],
  ["a table without a head", "<table><tr><td>1<td>2</table>", "|  |  |\n| --- | --- |\n| 1 | 2 |"],
  [
    "a caption",
    "<table><caption>C</caption><tr><th>a<tr><td>1</table>",
    "C\n\n| a |\n| --- |\n| 1 |",
  ],
  [
    "blocks in a cell",
    "<table><tr><th>a<tr><td><p>x</p><ul><li>y<li>z</ul></table>",
    "| a |\n| --- |\n| x<br>- y<br>- z |",
  ],
  [
    "code in a cell",
    "<table><tr><th>a<th>b<tr><td><code>x|y</code><td><pre>p\n  q</pre></table>",
    "| a | b |\n| --- | --- |\n| `x\\|y` | `p`<br>`  q` |",
  ],
  [
    "spans",
    "<table><tr><th>a<th>b<th>c<tr><td rowspan=2>x<td colspan=2>y<tr><td>1<td>2</table>",
    "| a | b | c |\n| --- | --- | --- |\n| x | y |  |\n| x | 1 | 2 |",
  ],
  ["a table for the layout", "<table role=presentation><tr><td>a<td>b</table>", "a\n\nb"],
  [
    "a table around tables",
    "<table><tr><td>a<td><table><tr><td>1<td>2</table></table>",
    "a\n\n|  |  |\n| --- | --- |\n| 1 | 2 |",
  ],
  [
    "a data table in a cell",
    "<table><tr><th>a<tr><td>x<table><tr><td>1|2<td>3</table></table>",
    "| a |\n| --- |\n| x<br>1\\\\|2 \\| 3 |",
  ],
  [
    "a formula",
    '<math><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></math>',
    "`x^2`",
  ],
  ["a player", "<video title=T><source src=a.mp4>old browser</video>", "[T](a.mp4)"],
  ["details", "<details><summary>a</summary>b</details>", "a\n\nb"],
  ["buttons", "<button>a</button><button>b</button>", "a b"],
];

for (const [name, html, markdown] of CASES) {
  Deno.test(`htmlToMarkdown: ${name}`, () => equal(htmlToMarkdown(html), markdown));
}

Deno.test("htmlToMarkdown: what no reader sees is left out", () => {
  const unseen = [
    "<script>no</script>",
    "<style>no</style>",
    "<noscript>no</noscript>",
    "<template><p>no</p></template>",
    "<!-- no -->",
    "<p hidden>no</p>",
    '<div hidden="until-found"><h2>no</h2></div>',
    '<p style="color: red; DISPLAY : none !important">no</p>',
    '<p style="/* a */visibility:/**/hidden">no</p>',
    '<span style="opacity: 0.0">no</span><span style="font-size:0px">no</span>',
    "<dialog>no</dialog>",
    "<svg><title>no</title><text>no</text></svg>",
    "<select><option>no</select>",
    '<span aria-hidden="true">no</span>',
    "<iframe>no</iframe>",
    "s\u{e006e}\u{e006f}een",
  ];
  for (const html of unseen) {
    const seen = htmlToMarkdown(`<p>seen</p>${html}<p style="display:block">seen</p>`);
    equal(seen.replace("seen\n\nseen\n\nseen", "seen\n\nseen"), "seen\n\nseen", html);
  }
});

Deno.test("htmlToMarkdown: aria-hidden blocks can be seen and are kept", () => {
  equal(htmlToMarkdown('<main aria-hidden="true"><p>a</p></main>'), "a");
});

Deno.test("htmlToMarkdown: nesting beyond all use keeps the text", () => {
  for (
    const open of ["<div>", "<b id=1>", "<ul><li>", "<li>", "<ol>", "<blockquote>", "<dl><dd>"]
  ) {
    const words = htmlToMarkdown(`${open.repeat(5000)}one<p>two`).match(/[a-z]+/g);
    equal(words?.join(" "), "one two", open);
  }
  equal(htmlToMarkdown("<div>".repeat(20_000) + "a"), "a");
  equal(htmlToMarkdown("<table><tr><td>".repeat(2000) + "a"), "a");
});

Deno.test("htmlToMarkdown: no word of a tangled page is lost", () => {
  const random = createRandom(7);
  for (let round = 0; round < 300; round++) {
    const words: string[] = [];
    const html = tangle(random, words, 0);
    const markdown = htmlToMarkdown(html);
    for (const word of words) equal(markdown.includes(word), true, `${word} of ${html}`);
  }
});

Deno.test("htmlToMarkdown: too many elements are refused", () => {
  throws(() => htmlToMarkdown("<b>x</b>".repeat(500_001)), /it has more than 500000 elements/);
});

/** Numbers in [0, 1) that are the same each time. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const TAGS =
  ("a b blockquote caption code dd details div dl dt em figure h1 h2 i kbd label li math ol p pre q section span sub " +
    "summary sup table tbody td th thead tr ul").split(" ");

/** A page whose elements stand where they should not. Fills `words` with all of its text. */
function tangle(random: () => number, words: string[], depth: number): string {
  let html = "";
  for (let parts = 1 + Math.floor(random() * 4); parts > 0; parts--) {
    if (depth > 6 || random() < 0.5) {
      const word = `w${words.length}.`;
      words.push(word);
      html += `${random() < 0.5 ? " " : ""}${word}${random() < 0.3 ? "\n" : ""}`;
    } else {
      const tag = TAGS[Math.floor(random() * TAGS.length)];
      html += `<${tag} href=x>${tangle(random, words, depth + 1)}</${tag}>`;
    }
  }
  return html;
}
