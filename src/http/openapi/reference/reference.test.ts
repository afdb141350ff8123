import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';

import { createServer } from '../../server.ts';
import { contractRoutes } from '../contract.routes.ts';
import { codeBlock } from './code.ts';
import { html } from './html.ts';
import { markdown } from './markdown.ts';

let app: FastifyInstance;
let origin: string;

before(async () => {
  app = createServer({ authenticator: async () => null, probe: async () => {} });
  const contract = {
    tag: 'keys',
    summary: 'Make a <thing>',
    bodyExample: { name: "it's" },
    answers: { 200: { description: 'Done & dusted.', schema: Type.Object({}), example: {} } },
  };
  const body = Type.Object({ name: Type.String({ description: 'Name.' }) });
  app.post('/api/v1/things', { config: { operation: 'things.create', contract }, schema: { body } }, async () => ({}));
  await app.register(contractRoutes);
  origin = await app.listen({ host: '127.0.0.1', port: 0 });
});

after(() => app.close());

async function pageAt(path: string) {
  const response = await fetch(origin + path);
  return { response, text: await response.text() };
}

test('pages need one style sheet of ours and nothing else', async () => {
  for (const path of ['/reference', '/reference/keys', '/reference/contract?lang=zh']) {
    const { response, text } = await pageAt(path);
    assert.equal(response.status, 200, path);
    assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
    assert.match(response.headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src 'self';/);
    assert.doesNotMatch(text, /<script|\sstyle=|<style|\son[a-z]+=/);
    const loaded = [...text.matchAll(/(?:src|<link rel="stylesheet" href)="([^"]+)"/g)].map(([, address]) => address);
    assert.deepEqual(loaded, ['/reference/style.css']);
  }
  const style = await pageAt('/reference/style.css');
  assert.match(style.response.headers.get('content-type') ?? '', /^text\/css/);
  assert.doesNotMatch(style.text, /url\(|@import/);
});

test('every link inside of the reference leads somewhere', async () => {
  const seen = new Map<string, string>();
  const open = async (path: string): Promise<string> => {
    const known = seen.get(path);
    if (known !== undefined) return known;
    const { response, text } = await pageAt(path);
    assert.equal(response.status, 200, path);
    seen.set(path, text);
    return text;
  };
  for (const start of ['/reference', '/reference?lang=zh', '/reference/keys', '/reference/contract?lang=zh'])
    for (const [, address = ''] of (await open(start)).matchAll(/<a [^>]*href="([^"]+)"/g)) {
      const [path = '', anchor] = address.split('#');
      const target = await open(path === '' ? start : path);
      if (anchor !== undefined) assert.ok(target.includes(`id="${anchor}"`), `${start} -> ${address}`);
    }
  assert.ok(seen.size > 8);
});

test('texts are escaped, and the command of an example can be pasted', async () => {
  const { text } = await pageAt('/reference/keys');
  assert.ok(
    text.includes('Make a &#60;thing&#62;') && text.includes('Done &#38; dusted.') && !text.includes('<thing>'),
  );
  assert.ok(text.includes('it&#39;\\&#39;&#39;s'), 'a quote inside of quotes');
});

test('each language has its words, and a page that is not there is 404', async () => {
  assert.ok((await pageAt('/reference/keys')).text.includes('<html lang="en">'));
  assert.ok((await pageAt('/reference/keys?lang=zh')).text.includes('<html lang="zh-Hans">'));
  assert.ok((await pageAt('/reference/keys?lang=zh')).text.includes('名称。'));
  assert.equal((await pageAt('/reference/nothing')).response.status, 404);
});

test('HTML is made of text and HTML, and only HTML is taken as it is', () => {
  assert.equal(html`<p>${'<b>'}${html`<b>`}${[1, null, undefined]}</p>`.html, '<p>&#60;b&#62;<b>1</p>');
  assert.equal(
    markdown('a `<b>` **c**\n\n- d\n- e').html,
    '<p>a <code>&#60;b&#62;</code> <strong>c</strong></p><ul><li>d</li><li>e</li></ul>',
  );
  assert.equal(
    codeBlock({ a: '<', b: [1, null] }).html.replace(/<[^>]+>/g, ''),
    JSON.stringify({ a: '<', b: [1, null] }, null, 2)
      .replaceAll('"', '&#34;')
      .replaceAll('<', '&#60;'),
  );
});
