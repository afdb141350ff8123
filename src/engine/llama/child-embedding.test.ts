import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { smallShape } from '#test/random-model.ts';
import { ChildDriver } from './child-driver.fixture.ts';
import { writeSmallModels } from './small-models.fixture.ts';

const { config, file, adapter, remove } = writeSmallModels();
after(remove);

test('vectors have unit length, come in input order and do not depend on their neighbours', async () => {
  const embedder = await ChildDriver.start({ ...config, kind: 'embedding', ggufPath: file('embed.gguf') });
  const ready = embedder.notices[0];
  assert.equal(ready?.type === 'ready' && ready.dimensions, smallShape.width);
  const long = 'long '.repeat(90);
  const { vectors, report, reply } = await embedder.embed(['one', long, 'two', 'one']);
  for (const vector of vectors) assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-6);
  assert.deepEqual(vectors[3], vectors[0]);
  assert.notDeepEqual(vectors[2], vectors[0]);
  assert.deepEqual((await embedder.embed([long])).vectors[0], vectors[1]);
  // The end token is one more, and counts.
  assert.deepEqual(report.inputs[0], { tokens: 4, truncated: false });
  assert.equal(reply.promptTokens, 4 + 451 + 4 + 4);

  const cut = await embedder.embed(['abcdefgh', 'abc'], { maxInputTokens: 4 });
  assert.deepEqual(cut.report.inputs, [
    { tokens: 4, truncated: true },
    { tokens: 4, truncated: false },
  ]);
  assert.deepEqual(cut.vectors[0], cut.vectors[1]);

  const tuned = await embedder.embed(['one'], { adapter: adapter('e', 5, 0.3) });
  assert.notDeepEqual(tuned.vectors[0], vectors[0]);
  assert.deepEqual((await embedder.embed(['one'])).vectors[0], vectors[0]);
  const broken = { sha256: 'x', path: file('embed.gguf') };
  await assert.rejects(embedder.embed(['one'], { adapter: broken }), /generation_failed/);
  assert.deepEqual((await embedder.embed(['one'])).vectors[0], vectors[0]);
  await embedder.stop();
});
