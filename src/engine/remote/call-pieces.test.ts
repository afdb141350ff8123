import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#test/properties.ts';
import { CallPieces, legacyCall } from './call-pieces.ts';

type Entry = Parameters<CallPieces['add']>[0];

const callsOf = (entries: readonly Entry[]) => {
  const pieces = new CallPieces();
  for (const entry of entries) pieces.add(entry);
  return pieces.all().map(({ name, arguments: text }) => [name, text]);
};
const weather = ['weather', '{"city":"Oslo"}'] as const;
const time = ['time', '{"zone":1}'] as const;

test('pieces of several calls in any order by place are those calls', () => {
  const calls = fc.array(fc.array(fc.string({ maxLength: 3 }), { minLength: 1, maxLength: 5 }), {
    minLength: 1,
    maxLength: 4,
  });
  fc.assert(
    fc.property(calls, fc.infiniteStream(fc.nat(3)), (all, order) => {
      const texts = all.map((parts) => JSON.stringify({ parts }));
      const waiting = all.map((parts, index): Entry[] => {
        const text = texts[index] ?? '';
        const size = Math.ceil(text.length / parts.length);
        const cut = parts.map((_, at) => ({ index, function: { arguments: text.slice(at * size, (at + 1) * size) } }));
        return [{ index, id: `call_${index}`, function: { name: `f${index}` } }, ...cut];
      });
      const entries: Entry[] = [];
      for (const pick of order) {
        const left = waiting.filter((pieces) => pieces.length > 0);
        if (left.length === 0) break;
        entries.push(left[pick % left.length]?.shift() ?? {});
      }
      assert.deepEqual(
        callsOf(entries),
        texts.map((text, index) => [`f${index}`, text]),
      );
    }),
  );
});

test('calls keep the order of their places, or that in which they began', () => {
  const entry = (index: unknown, [name, text]: readonly [string, string]) => ({
    index,
    function: { name, arguments: text },
  });
  assert.deepEqual(callsOf([entry(1, time), entry(0, weather)]), [weather, time]);
  assert.deepEqual(callsOf([entry('1', time), entry('0', weather)]), [weather, time]);
  assert.deepEqual(callsOf([entry(null, time), entry(null, weather)]), [time, weather]);
});

test('two calls come from pieces that name them in whatever way', () => {
  const named = (more: Entry, [name, text]: readonly [string, string]) => ({
    ...more,
    function: { name, arguments: text },
  });
  for (const [how, entries] of Object.entries({
    'all in one place, without ids': [named({ index: 0 }, weather), named({ index: 0 }, time)],
    'place with the first piece only': [
      named({ index: 0, id: 'a' }, ['weather', '']),
      { function: { arguments: '{"city":"Oslo"}' } },
      named({ index: 1, id: 'b' }, ['time', '{"zone"']),
      { function: { arguments: ':1}' } },
    ],
    'place from the second piece on': [
      named({ id: 'a' }, ['weather', '']),
      { index: 0, function: { arguments: '{"city":"Oslo"}' } },
      named({ index: 1, id: 'b' }, time),
    ],
    'alternating by id': [
      named({ id: 'a' }, ['weather', '{"city"']),
      named({ id: 'b' }, ['time', '{"zone"']),
      { id: 'a', function: { arguments: ':"Oslo"}' } },
      { id: 'b', function: { arguments: ':1}' } },
    ],
    'alternating by id, with the name every time': [
      named({ id: 'a' }, ['weather', '{"city"']),
      named({ id: 'b' }, ['time', '{"zone"']),
      named({ id: 'a' }, ['weather', ':"Oslo"}']),
      named({ id: 'b' }, ['time', ':1}']),
    ],
    'alternating by place, with id and name every time': [
      named({ index: 0, id: 'a' }, ['weather', '{"city"']),
      named({ index: 1, id: 'b' }, ['time', '{"zone"']),
      named({ index: 0, id: 'a' }, ['weather', ':"Oslo"}']),
      named({ index: 1, id: 'b' }, ['time', ':1}']),
    ],
    'one id for all': [named({ index: 0, id: 'x' }, weather), named({ index: 1, id: 'x' }, time)],
    'a place more with every piece': [
      named({ index: 0, id: 'a' }, ['weather', '{"city"']),
      { index: 1, function: { arguments: ':"Oslo"}' } },
      named({ index: 2, id: 'b' }, time),
    ],
    'names in pieces': [
      named({ index: 0, id: 'a' }, ['wea', '']),
      named({ index: 1, id: 'b' }, ['ti', '']),
      named({ index: 0 }, ['ther', '{"city":"Oslo"}']),
      named({ index: 1 }, ['me', '{"zone":1}']),
    ],
    'no place and no id, the name every time': [
      named({}, ['weather', '{"city"']),
      named({}, ['weather', ':"Oslo"}']),
      named({}, time),
    ],
    'all again at the end': [
      named({ index: 0, id: 'a' }, ['weather', '{"city"']),
      { index: 0, function: { arguments: ':"Oslo"}' } },
      named({ index: 1, id: 'b' }, time),
      named({ id: 'a' }, weather),
      named({ id: 'b' }, time),
    ],
    'an empty object in front': [
      named({ index: 0, id: 'a' }, ['weather', '{}']),
      { index: 0, function: { arguments: '{"city":"Oslo"}' } },
      named({ index: 1, id: 'b' }, time),
    ],
    'JSON as a JSON string': [weather, time].map(([name, text], index) =>
      named({ index }, [name, JSON.stringify(text)]),
    ),
    'without a function': [weather, time].map(([name, text], index) => ({ index, name, arguments: text })),
    'parts of a list': [
      { type: 'tool_use', id: 'a', name: 'weather', input: { city: 'Oslo' } },
      { type: 'tool_use', id: 'b', name: 'time', input: { zone: 1 } },
    ],
    'empty entries between': [named({ index: 0 }, weather), {}, { index: 1 }, named({ index: 1 }, time)],
  }))
    assert.deepEqual(callsOf(entries), [weather, time], how);
});

test('two calls of one tool are two, also when its name is the id of both', () => {
  const entry = (city: string, more: Entry) => ({
    ...more,
    function: { name: 'weather', arguments: JSON.stringify({ city }) },
  });
  for (const more of [{}, { id: 'weather' }, { index: 0 }, { index: 0, id: 'weather' }])
    assert.deepEqual(callsOf([entry('Oslo', more), entry('Rome', more)]), [weather, ['weather', '{"city":"Rome"}']]);
});

test('a call without arguments has an empty object, however that is written, and one that is no object has none', () => {
  for (const text of ['', ' ', '{}', 'null', null, undefined, {}])
    assert.deepEqual(callsOf([{ index: 0, function: { name: 'time', arguments: text } }]), [['time', '{}']]);
  for (const text of ['{"a":', '[1]', '1', '"x"', [1]])
    assert.deepEqual(callsOf([{ index: 0, function: { name: 'time', arguments: text } }]), [['time', null]]);
});

test('the one call of the older interface comes in pieces, too', () => {
  const parts = [{ name: 'weather', arguments: '' }, { arguments: '{"city":' }, { name: '', arguments: '"Oslo"}' }];
  assert.deepEqual(callsOf(parts.map(legacyCall)), [weather]);
});

test('half a character in the arguments is completed by the next piece, and replaced where nothing completes it', () => {
  const entry = (text: string) => ({ index: 0, function: { name: 'f', arguments: text } });
  assert.deepEqual(callsOf([entry('{"a":"\ud83d'), entry('\ude42"}')]), [['f', '{"a":"🙂"}']]);
  assert.deepEqual(callsOf([entry('{"a":"\ud83d'), entry('"}')]), [['f', '{"a":"\ufffd"}']]);
});
