import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#test/properties.ts';
import { CollectedAnswer, type NamedDelta } from './collected-answer.ts';

const text = fc.record({ type: fc.constantFrom('content' as const, 'reasoning' as const), text: fc.string() });
const call = fc.record({
  type: fc.constant('tool_call' as const),
  index: fc.nat(),
  name: fc.string(),
  arguments: fc.string(),
  callId: fc.uuid(),
});

const partsOf = (deltas: readonly NamedDelta[]) => {
  const collected = new CollectedAnswer();
  for (const delta of deltas) collected.add(delta);
  return collected.parts;
};

test('however an answer is split, its parts are the same, in the order in which the model wrote them', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(text, call)), (deltas) => {
      const split = deltas.flatMap((delta): NamedDelta[] =>
        delta.type === 'tool_call' ? [delta] : [...delta.text].map((character) => ({ ...delta, text: character })),
      );
      assert.deepEqual(partsOf(split), partsOf(deltas));
      const parts = partsOf(deltas);
      for (const [index, part] of parts.entries())
        assert.ok(part.type === 'tool_call' || (part.text !== '' && part.type !== parts[index - 1]?.type));
    }),
  );
});
