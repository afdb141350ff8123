import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { bodyOf, type ProtocolRow, protocolRows } from '#test/protocols.ts';
import { createProtocols } from './index.ts';

const protocols = createProtocols({ secret: Buffer.alloc(32, 1) });

test('every protocol that is served is in the table that tests of charges, limits and isolation run with, and no other is', () => {
  // No reranker ships with the program; `reranking.test.ts` has what the table has for others.
  const served = protocols.flatMap(({ name, keyHeader, calls }) =>
    calls
      .filter(({ kind }) => kind !== 'rerank')
      .map(({ path, operation, kind }) => ({ name, operation, kind, path, keys: keyHeader ? 2 : 1 })),
  );
  const tested = protocolRows.map(({ name, operation, kind, path, keys }) => {
    return { name, operation, kind, path: `/${path}`, keys: keys.length };
  });
  const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name);
  assert.deepEqual(tested.toSorted(byName), served.toSorted(byName));
  assert.ok(
    protocols.every(({ calls }) => calls.length <= 1),
    'a protocol calls models by one route',
  );
});

test('every folder of a protocol is registered, and what several share is no protocol', () => {
  const folders = readdirSync(import.meta.dirname, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const names = folders.map(({ name }) => name).filter((name) => !['openai', 'shared'].includes(name));
  assert.deepEqual(names.sort(), protocols.map(({ name }) => name).sort());
});

/** The call of a row, as the program has it. */
function callOf({ operation }: ProtocolRow) {
  const call = protocols.flatMap(({ calls }) => calls).find((each) => each.operation === operation);
  return call && call.kind !== 'rerank' ? call : assert.fail(operation);
}

test('what the table asks is what the protocol reads', () => {
  for (const row of protocolRows) {
    const call = callOf(row);
    if (call.kind === 'embedding') {
      assert.partialDeepStrictEqual(call.read(bodyOf(row, { text: 'lamp' })), { model: row.project });
      continue;
    }
    for (const stream of row.stream ? [false, true] : [false]) {
      const wanted = call.read(bodyOf(row, { text: 'lamp', maxTokens: 7, stream, model: 'other' }));
      assert.partialDeepStrictEqual(wanted, { model: 'other', stream, sampling: { maxTokens: 7 } }, row.name);
      assert.match(JSON.stringify(wanted.prompt.messages), /lamp/);
      assert.equal(wanted.prompt.reasoningEffort, 'none', row.name);
      assert.equal(wanted.prompt.responseFormat.type, 'text', row.name);
    }
    const long = call.read(bodyOf(row, { longFor: 3 }));
    assert.equal(long.prompt.responseFormat.type, row.keepsLong ? 'json_schema' : 'text', row.name);
    // A row that says it does not stream must not ask for what is only refused.
    if (!row.stream) assert.equal(call.read(bodyOf(row, { stream: true })).stream, false);
  }
});
