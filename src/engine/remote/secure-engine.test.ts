import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { makeAuthority, makeCertificate } from './certificates.fixture.ts';
import { callBy } from './secure-engine.fixture.ts';
import { type Behave, delta, finish, startUpstream, stream, usage } from './upstream.fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'fanfold-tls-'));
const stops: (() => Promise<void>)[] = [];
after(async () => {
  await Promise.all(stops.map((stop) => stop()));
  rmSync(folder, { recursive: true, force: true });
});

const counts = { prompt_tokens: 3, completion_tokens: 2 };

/** Answers chats, and echoes whatever else it is sent. */
const answer: Behave = ({ path, body }, response) => {
  if (path !== '/v1/chat/completions') return void response.end(JSON.stringify(body));
  if (body['stream'] === true) return stream(response, [delta({ content: 'Hi.' }), finish('stop'), usage(counts)]);
  const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }];
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ choices, usage: counts }));
};

async function engine(tls?: { key: string; cert: string }) {
  const server = await startUpstream(answer, tls ? { tls } : {});
  stops.push(server.stop);
  return server;
}

test('an engine behind TLS is called where its authority is known, over connections that are used again, and by its own name only', async () => {
  const ours = makeAuthority('Fanfold tests');
  const file = join(folder, 'authority.pem');
  writeFileSync(file, ours.pem);
  const good = await engine(makeCertificate(ours));
  const elsewhere = await engine(makeCertificate(ours, { address: '127.0.0.9' }));
  const expired = await engine(makeCertificate(ours, { untilMs: Date.now() - 86_400_000 }));

  const program = fileURLToPath(new URL('secure-engine.fixture.ts', import.meta.url));
  const urls = JSON.stringify({ good: good.url, elsewhere: elsewhere.url, expired: expired.url });
  const { stdout } = await promisify(execFile)(process.execPath, [program, urls], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: file },
    maxBuffer: 64 * 1024 * 1024,
    timeout: 180_000,
  });
  const results = JSON.parse(stdout);
  assert.deepEqual([results.whole, results.streamed], ['Hi.', 'Hi.']);
  assert.deepEqual(
    results.echoed.map(({ n, text }: { n: number; text: string }) => [n, text === 'ü'.repeat(100_000 * n)]),
    [1, 2, 3, 4].map((n) => [n, true]),
  );
  const echoes = good.got.filter(({ path }) => path === '/v1/echo');
  // One that has just answered is free a little later.
  assert.ok(new Set(echoes.map(({ port }) => port)).size <= 2, 'one connection, or two that take turns');
  assert.deepEqual(new Set(good.got.map(({ headers }) => headers.authorization)), new Set(['Bearer s3cret']));
  assert.match(results.elsewhere, /^capacity_unavailable: .*ERR_TLS_CERT_ALTNAME_INVALID.*127\.0\.0\.9/);
  assert.match(results.expired, /^capacity_unavailable: .*CERT_HAS_EXPIRED/);
  assert.deepEqual([elsewhere.got, expired.got], [[], []], 'nothing was sent there, the secret neither');
});

test('a call passes over an engine whose certificate nobody known has signed, and the log says what to do', async () => {
  const strange = await engine(makeCertificate(makeAuthority('Nobody')));
  const plain = await engine();
  const said = await callBy([strange.url, plain.url], { untilDown: true });
  assert.match(said, /^Hi\. UNABLE_TO_VERIFY_LEAF_SIGNATURE: .*NODE_EXTRA_CA_CERTS/);
  assert.match(await callBy([strange.url]), /^capacity_unavailable: .*NODE_EXTRA_CA_CERTS/);
  assert.deepEqual(strange.got, []);
});
