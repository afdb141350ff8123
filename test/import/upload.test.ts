import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '#kernel';
import { bearer } from '#test/accounts.ts';
import { startS3Server } from '#test/object-server.ts';
import type { ImportClient, Refusal } from './import-client.ts';
import { createImportWorld, type ImportWorld } from './import-world.ts';

const rows = Array.from({ length: 4_000 }, (_, n) =>
  JSON.stringify({ prompt: `What comes after ${n}?`, completion: String(n + 1) }),
);
const file = Buffer.from(rows.join('\n'));
const sha256 = createHash('sha256').update(file).digest('hex');
const range = (from: number, to: number, size = file.length) => ({
  'content-range': `bytes ${from}-${to - 1}/${size}`,
});
const middle = Math.floor(file.length / 2);

/** What the next request is refused with; also one whose caller is not there any more. */
async function nextFailure(): Promise<Fault> {
  const failure = Promise.withResolvers<unknown>();
  // as: that is what Fastify publishes there.
  const onFailure = (message: unknown) => failure.resolve((message as { error: unknown }).error);
  subscribe(failures, onFailure);
  const error = await failure.promise.finally(() => unsubscribe(failures, onFailure));
  assert.ok(error instanceof Fault);
  return error;
}

const failures = 'tracing:fastify.request.handler:error';

for (const place of ['a folder', 'S3'] as const)
  describe(`uploads into ${place}`, () => {
    let world: ImportWorld;
    let text: ImportClient;
    const ends: (() => Promise<void>)[] = [];

    before(async () => {
      const settings: Record<string, string> = {};
      if (place === 'S3') {
        const { stop, bucket, prefix, endpoint, credentials } = await startS3Server();
        ends.push(stop);
        settings['FANFOLD_OBJECT_STORE'] = `s3://${bucket}/${prefix}`;
        settings['FANFOLD_S3_ENDPOINT'] = endpoint ?? '';
        settings['FANFOLD_S3_ACCESS_KEY_ID'] = credentials?.accessKeyId ?? '';
        settings['FANFOLD_S3_SECRET_ACCESS_KEY'] = credentials?.secretAccessKey ?? '';
      }
      world = await createImportWorld({ settings, limits: { requestTimeoutMs: 1_500, headersTimeoutMs: 1_000 } });
      text = world.text;
    });
    after(async () => {
      await world?.stop();
      for (const end of ends) await end();
    });

    const create = (more: object = {}) => text.create({ name: 'a.jsonl', size: file.length, more });

    test('a file in ranges, some of them twice and overlapping, arrives whole', async () => {
      const { id } = await create({ sha256: sha256.toUpperCase() });
      const half = await text.put<{ received_bytes: number }>(id, file.subarray(0, middle), range(0, middle));
      assert.deepEqual([half.status, half.body], [202, { received_bytes: middle }]);
      // Units of ranges are written in any case (RFC 9110 14.1).
      const again = await text.put<{ received_bytes: number }>(id, file.subarray(0, 99), {
        'content-range': `Bytes 0-98/${file.length}`,
      });
      assert.deepEqual([again.status, again.body], [202, { received_bytes: middle }]);
      const asked = await text.put<{ received_bytes: number }>(id, Buffer.alloc(0), {
        'content-range': `bytes */${file.length}`,
      });
      assert.deepEqual([asked.status, asked.body], [202, { received_bytes: middle }]);
      const rest = await text.put(id, file.subarray(middle - 50), range(middle - 50, file.length));
      assert.equal(rest.status, 200, JSON.stringify(rest.body));
      assert.equal(rest.body.file.sha256, sha256);
      // As a client goes on that did not hear the answer, and asks how much has arrived.
      const nothingLeft = await text.put(id, Buffer.alloc(0), range(file.length, file.length));
      assert.equal(nothingLeft.status, 200, JSON.stringify(nothingLeft.body));
      const done = await text.confirm((await text.until(id, 'ready')).id);
      assert.equal(done.result?.examples_added, rows.length);
    });

    test('of requests at the same time that bring the same bytes, each byte counts once', async () => {
      const { id } = await create({ sha256 });
      const answers = await Promise.all(Array.from({ length: 6 }, () => text.put(id, file)));
      for (const { status } of answers) assert.ok([200, 202, 409].includes(status), String(status));
      const { status, body } = await text.put(id, file);
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(body.file.received_bytes, file.length);
      await text.until(id, 'ready');
    });

    test('what a broken connection has brought stays, the upload goes on from there, and the server has not failed', async () => {
      const { id } = await create({ sha256 });
      const ended = nextFailure();
      const broken = request(`${text.base}/imports/${id}/content`, {
        method: 'PUT',
        headers: { ...bearer(world.key), 'content-length': String(file.length) },
      });
      broken.on('error', () => {});
      await new Promise<unknown>((resolve) => broken.write(file.subarray(0, middle), resolve));
      await sleep(400);
      broken.destroy();
      let received = 0;
      for (let tries = 0; received === 0 && tries < 1_200; tries++) {
        received = (await text.read(id)).file.received_bytes;
        await sleep(50);
      }
      assert.ok(received > 0 && received <= middle, String(received));
      // What is 500 or more goes to the log of the operator, with a stack.
      assert.equal((await ended).row.status, 408);
      assert.equal((await text.put(id, file.subarray(received), range(received, file.length))).status, 200);
      await text.until(id, 'ready');
    });

    test('an upload may take longer than other requests, which keep their limit meanwhile', async () => {
      const { id } = await create();
      const slow = request(`${text.base}/imports/${id}/content`, {
        method: 'PUT',
        headers: { ...bearer(world.key), 'content-length': String(file.length) },
      });
      const answered = once(slow, 'response');
      answered.catch(() => {});
      const other = request(`${text.base}/imports`, {
        method: 'POST',
        headers: { ...bearer(world.key), 'content-type': 'application/json', 'content-length': '100' },
      });
      other.write('{');
      const refused = once(other, 'response').then(([{ statusCode }]) => statusCode);
      slow.write(file.subarray(0, middle));
      assert.equal(await refused, 408);
      slow.end(file.subarray(middle));
      const [response] = await answered;
      assert.equal(response.statusCode, 200);
      response.resume();
    });

    test('a file with another digest is dropped and can be sent anew; another size is refused', async () => {
      const { id } = await create({ sha256: 'a'.repeat(64) });
      const wrong = await text.put<Refusal>(id, file);
      assert.deepEqual(
        [wrong.status, wrong.body.error.code, wrong.body.error.param],
        [400, 'invalid_request', 'sha256'],
      );
      const after = await text.read(id);
      assert.deepEqual([after.state, after.file.received_bytes], ['awaiting_upload', 0]);
      const longer = await text.put<Refusal>(id, Buffer.concat([file, file]));
      assert.deepEqual([longer.status, longer.body.error.param], [400, 'size_bytes']);
      const cases: Record<string, string>[] = [
        range(0, 10, 11),
        { 'content-range': 'bytes 5-2/10' },
        { 'content-range': 'lines 1-2' },
        range(0, 20),
      ];
      for (const headers of cases)
        assert.equal((await text.put(id, file.subarray(0, 10), headers)).status, 400, JSON.stringify(headers));
      const gap = await text.put<Refusal>(id, file.subarray(10, 20), range(10, 20));
      assert.deepEqual([gap.status, gap.body.error.details?.['received_bytes']], [409, 0]);
    });

    test('a body without a length is taken up to the size of the file, and no further', async () => {
      const { id } = await create();
      const endless = request(`${text.base}/imports/${id}/content`, { method: 'PUT', headers: bearer(world.key) });
      endless.on('error', () => {});
      const answered = once(endless, 'response');
      endless.write(file);
      // More than any buffer on the way holds.
      endless.end(Buffer.alloc(32 * 1024 * 1024));
      const [response] = await answered;
      assert.equal(response.statusCode, 400);
      response.resume();
      // Whoever sends everything before he reads an answer gets to it, and a connection whose client is gone is found to be so.
      await once(endless, 'close', { signal: AbortSignal.timeout(120_000) });
      assert.ok(endless.writableFinished);
      assert.ok((await text.read(id)).file.received_bytes <= file.length);
    });
  });
