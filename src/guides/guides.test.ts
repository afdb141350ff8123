import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createServer } from '#http';
import { root } from '#test/source-tree.ts';
import { fileOfGuide, guideGroups } from './guide-list.ts';
import { guidesRoutes } from './guides.routes.ts';
import { openGuides } from './guides.ts';
import { readGuide } from './read-guide.ts';
import { searchGuides } from './search-guides.ts';

const docs = join(root, 'docs');
const names = guideGroups.flatMap(({ guides }) => [...guides] as string[]);

async function openServer() {
  const server = createServer({ authenticator: async () => null, probe: async () => {} });
  await server.register(guidesRoutes(docs));
  return server;
}

test('every file of docs/guides is a guide, once, and so are the pages on errors and keys', () => {
  const files = readdirSync(join(docs, 'guides')).filter((file) => file.endsWith('.md'));
  assert.deepEqual(
    names.map(fileOfGuide).sort(),
    [...files.map((file) => `guides/${file}`), 'api-keys.md', 'errors.md'].sort(),
  );
});

test('anybody reads every guide whole, with a title, a summary and its headings', async () => {
  const server = await openServer();
  const { data } = (await server.inject({ url: '/api/v1/guides' })).json();
  assert.deepEqual(
    data.map(({ name }: { name: string }) => name),
    names,
  );
  for (const { name, title, summary } of data) {
    const answer = await server.inject({ url: `/api/v1/guides/${name}` });
    const guide = answer.json();
    const text = readFileSync(join(docs, fileOfGuide(name)), 'utf8');
    assert.equal(`# ${guide.title}\n`, text.slice(0, title.length + 3), name);
    assert.equal(guide.markdown.split('\n').length, text.trim().split('\n').length - 2, name);
    assert.match(summary, /^[^`*[\]]{10,300}[.:]$/, name);
    const again = await server.inject({
      url: `/api/v1/guides/${name}`,
      headers: { 'if-none-match': String(answer.headers.etag) },
    });
    assert.equal(again.statusCode, 304, name);
  }
});

test('every link of a guide leads to a guide and heading of this server, to its contract, or to the web', () => {
  const guides = openGuides(docs)();
  const links = [...guides].flatMap(([name, { markdown }]) =>
    [...markdown.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => ({
      name,
      link,
    })),
  );
  assert.ok(links.length > 80, `only ${links.length} links were found`);
  const isGood = ({ name, link }: { name: string; link: string }) => {
    if (/^https?:|^\/api\/v1\/openapi\.en\.json$/.test(link)) return true;
    const [, target = name, anchor] = /^(?:\/guides\/([a-z-]+))?(?:#(.+))?$/.exec(link) ?? [link, ''];
    const guide = guides.get(target);
    return guide !== undefined && (anchor === undefined || guide.headings.some((heading) => heading.anchor === anchor));
  };
  assert.deepEqual(
    links.filter((link) => !isGood(link)),
    [],
  );
});

test('a link to another file of the repository is its text, and code stays as it is', () => {
  const { markdown } = readGuide('# T\n\nSee [the\nfile](../../deploy/x.conf).\n```\n[a](b.md)\n```\n', () => null);
  assert.equal(markdown, 'See the\nfile.\n```\n[a](b.md)\n```');
});

test('no name of a guide leads to another file', async () => {
  const server = await openServer();
  for (const name of [
    '..%2Farchitecture',
    '..%2F..%2Fpackage.json',
    'architecture',
    'README',
    '%2Fetc%2Fpasswd',
    'training.md',
  ])
    assert.equal((await server.inject({ url: `/api/v1/guides/${name}` })).statusCode, 404, name);
});

test('headings have the anchors of Markdown, a repeated one a number, and code has none', () => {
  const guide = readGuide(
    [
      '# Title',
      '',
      'A **first** [sentence](x.md). More.',
      '',
      '## What *is* `it`?',
      '```sh',
      '## no heading',
      '```',
      '## 1. Limits',
      '### 1. Limits',
    ].join('\n'),
    () => '/guides/x',
  );
  assert.equal(guide.title, 'Title');
  assert.equal(guide.summary, 'A first sentence. More.');
  assert.deepEqual(guide.headings, [
    { level: 2, text: 'What is it?', anchor: 'what-is-it' },
    { level: 2, text: '1. Limits', anchor: '1-limits' },
    { level: 3, text: '1. Limits', anchor: '1-limits-1' },
  ]);
  assert.deepEqual(
    guide.sections.map(({ text }) => text),
    ['A first sentence. More.', '## no heading', '', ''],
  );
});

test('a search finds sections with every word, headings first, and shows where', () => {
  const guides = openGuides(docs)();
  const [best] = searchGuides(guides, 'rotate KEY', 5);
  assert.equal(best?.name, 'api-keys');
  assert.equal(best?.section.anchor, 'rotate-a-key-without-an-outage');
  for (const { section, excerpt } of searchGuides(guides, 'idempotency', 30)) {
    assert.match(`${section.heading} ${section.text}`, /idempotency/i);
    if (/idempotency/i.test(section.text)) assert.match(excerpt, /idempotency/i);
    assert.ok(excerpt.length <= 230, excerpt);
  }
  assert.deepEqual(searchGuides(guides, 'there-is-no-such-word', 5), []);
  assert.deepEqual(searchGuides(guides, '  ', 5), []);
  assert.equal(searchGuides(guides, 'the', 7).length, 7);
});

test('a search through the interface names guide, heading and anchor, and wants a query', async () => {
  const server = await openServer();
  const { data } = (await server.inject({ url: '/api/v1/guide-sections?q=regression+check' })).json();
  assert.deepEqual(
    data
      .filter(({ anchor }: { anchor: string | null }) => anchor === 'regression-check')
      .map(({ guide }: { guide: string }) => guide),
    ['training'],
  );
  for (const url of ['/api/v1/guide-sections', '/api/v1/guide-sections?q='])
    assert.equal((await server.inject({ url })).statusCode, 400);
});
