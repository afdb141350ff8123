import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#test/properties.ts';
import { read } from './chat-answer.fixture.ts';
import { ChatAnswer } from './chat-answer.ts';
import { openai } from './dialects/openai.ts';
import { type Chunk, delta, finish, usage } from './upstream.fixture.ts';

test('reasoning is apart from content whether the engine parses it, under either name, or leaves the tags in the text', () => {
  const expected = { reasoning: 'It is 2.', content: 'Two.' };
  for (const chunks of [
    [delta({ reasoning_content: 'It is ' }), delta({ reasoning_content: '2.' }), delta({ content: '\n\nTwo.' })],
    [delta({ reasoning: '\nIt is 2.\n' }), delta({ content: 'Two.' })],
    [
      delta({ reasoning: 'It is' }),
      delta({ reasoning: ' 2.' }),
      delta({ reasoning: '\n' }),
      delta({ content: '\nTwo.' }),
    ],
    [delta({ content: '<think>\nIt is 2.\n</think>\n\nTwo.' })],
  ]) {
    const { content, reasoning } = read([...chunks, finish('stop')]);
    assert.deepEqual({ reasoning, content }, expected);
  }
});

test('line ends behind reasoning that is empty are no part of the answer', () => {
  const parsed = [delta({ reasoning_content: '\n\n' }), delta({ content: '\n\n' }), delta({ content: 'Two.' })];
  for (const chunks of [parsed, [delta({ reasoning_content: '\n\n', content: '\n\nTwo.' })]]) {
    const { content, reasoning } = read([...chunks, finish('stop')]);
    assert.deepEqual({ reasoning, content }, { reasoning: '', content: 'Two.' });
  }
});

test('how the text was cut into chunks does not matter', () => {
  const text = '<think>\nFirst a <b> then.\n</think>\n\nHere: 1 < 2, <think no more.';
  const whole = read([delta({ content: text }), finish('stop')]);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: text.length - 1 }), { maxLength: 12 }), (cuts) => {
      const places = [0, ...cuts.toSorted((a, b) => a - b), text.length];
      const parts = places.slice(1).map((end, at) => delta({ content: text.slice(places[at], end) }));
      const { content, reasoning } = read([...parts, finish('stop')]);
      assert.deepEqual([content, reasoning], [whole.content, whole.reasoning]);
    }),
  );
});

test('a stop text ends the content also where the engine leaves it in, and an engine that keeps it out is believed', () => {
  const stop = ['Salt'];
  for (const chunks of [
    [delta({ content: 'The capital is Sa' }), delta({ content: 'ltmere' }), finish('stop')],
    [delta({ content: 'The capital is Saltmere. It is old' }), finish('length')],
    [delta({ content: 'The capital is ' }), finish('stop')],
  ]) {
    const { content, answer } = read(chunks, { stop });
    assert.deepEqual([content, answer.reason], ['The capital is ', 'stop']);
  }
  assert.equal(read([delta({ content: 'Sal' }), finish('stop')], { stop }).content, 'Sal');
});

test('which stop text ended the answer is what the text itself tells, or else the engine in its own name for it', () => {
  const stop = ['Salt', 'END'];
  const ended = (fields: object, reason = 'stop') => ({
    choices: [{ index: 0, delta: {}, finish_reason: reason, ...fields }],
  });
  const said = delta({ content: 'The capital is ' });
  for (const [end, expected] of [
    [ended({ stop_reason: 'END' }), 'END'],
    [ended({ matched_stop: 'Salt' }), 'Salt'],
    [ended({ stop_reason: null, matched_stop: 'END' }), 'END'],
    [ended({ stop_reason: 'END' }, 'tool_calls'), 'END'],
    // A token, the name of none, one that was not asked for, and silence.
    [ended({ stop_reason: 151_645, matched_stop: 151_645 }), null],
    [ended({ stop_reason: null }), null],
    [ended({ stop_reason: 'eos' }), null],
    [ended({}), null],
    [ended({ stop_reason: 'END' }, 'length'), null],
  ] as const)
    assert.equal(read([said, end], { stop }).answer.stopText, expected, JSON.stringify(end));
  assert.equal(read([ended({ stop_reason: 'END' })]).answer.stopText, null);
  const whole = { message: { content: 'The capital is' }, stop_reason: 'END', finish_reason: 'stop' };
  assert.equal(read([{ choices: [whole] }], { stop }).answer.stopText, 'END');

  const text = 'The capital is Saltmere.END';
  for (let at = 0; at <= text.length; at += 1) {
    const parts = [text.slice(0, at), text.slice(at)].map((content) => delta({ content }));
    for (const end of [finish('stop'), finish('length'), ended({ matched_stop: 'END' })]) {
      const { content, answer } = read([...parts, end], { stop });
      assert.deepEqual([content, answer.reason, answer.stopText], ['The capital is ', 'stop', 'Salt']);
    }
  }
});

test('a call comes whole when its pieces are complete, with its place among the calls', () => {
  const piece = (index: number, fields: Chunk) => delta({ tool_calls: [{ index, function: fields }] });
  const { calls, answer } = read([
    piece(0, { name: 'weather', arguments: '' }),
    piece(0, { arguments: '{"city":' }),
    piece(0, { arguments: '"Oslo"}' }),
    piece(1, { name: 'time', arguments: '{}' }),
    finish('tool_calls'),
  ]);
  assert.deepEqual(
    calls.map(({ index, name, arguments: text }) => [index, name, text]),
    [
      [0, 'weather', '{"city":"Oslo"}'],
      [1, 'time', '{}'],
    ],
  );
  assert.equal(answer.reason, 'tool_calls');
});

test('calls are told apart by what an engine tells of them, though it counts them badly or not at all', () => {
  const piece = (call: Chunk) => delta({ tool_calls: [call] });
  const weather = ['weather', '{"city":"Oslo"}'];
  const time = ['time', '{"zone":1}'];
  const begun = (more: Chunk, [name, text]: string[]) => piece({ ...more, function: { name, arguments: text } });
  for (const [how, chunks] of Object.entries({
    'all in one place': [begun({ index: 0, id: 'a' }, weather), begun({ index: 0, id: 'b' }, time)],
    'no place': [begun({ id: 'a' }, weather), begun({ id: 'b' }, time)],
    'neither place nor id': [begun({}, weather), begun({}, time)],
    'no place, in pieces': [
      piece({ id: 'a', function: { name: 'weather', arguments: '' } }),
      piece({ function: { arguments: '{"city":' } }),
      piece({ id: null, function: { name: null, arguments: '"Oslo"}' } }),
      begun({ id: 'b' }, time),
    ],
    'id and name again and again': [
      piece({ index: 0, id: 'a', function: { name: 'weather', arguments: '{"city":' } }),
      piece({ index: 0, id: 'a', function: { name: 'weather', arguments: '"Oslo"}' } }),
      begun({ index: 1, id: 'b' }, time),
    ],
    'another id with every piece': [
      piece({ index: 0, id: 'a', function: { name: 'weather' } }),
      piece({ index: 0, id: 'c', function: { arguments: '{"city":"Oslo"}' } }),
      begun({ index: 1, id: 'b' }, time),
    ],
    'objects for texts': [
      piece({ index: 0, function: { name: 'weather', arguments: { city: 'Oslo' } } }),
      piece({ index: 1, function: { name: 'time', arguments: { zone: 1 } } }),
    ],
  })) {
    const { calls } = read([...chunks, finish('tool_calls')]);
    const told = calls.map(({ index, name, arguments: text }) => [index, name, text]);
    assert.deepEqual(
      told,
      [
        [0, ...weather],
        [1, ...time],
      ],
      how,
    );
  }
});

test('an answer goes on where an engine writes an empty reason, and has failed where it gave up', () => {
  const { content, answer } = read([{ choices: [{ delta: { content: 'Hi' }, finish_reason: '' }] }]);
  assert.deepEqual([content, answer.isComplete], ['Hi', false]);
  for (const reason of ['abort', 'error'])
    assert.throws(() => read([delta({ content: 'Hi' }), finish(reason)]), /The engine ended its answer/);
});

test('a call that was cut, or is none, is told as text, but left out where it was cut behind whole ones; one call is one where only one was allowed', () => {
  const call = (index: number, text: string) =>
    delta({ tool_calls: [{ index, function: { name: 'f', arguments: text } }] });
  const cut = read([call(0, '{"a": [1,'), finish('length')]);
  const text = '<tool_call>\n{"name": "f", "arguments": {"a": [1,';
  assert.deepEqual([cut.calls.length, cut.answer.reason, cut.content], [0, 'length', text]);
  const behind = read([call(0, '{}'), call(1, '{"a": [1,'), finish('length')]);
  assert.deepEqual([behind.calls.length, behind.answer.reason, behind.content], [1, 'tool_calls', '']);
  const wrong = read([delta({ content: 'So:<' }), call(0, '{"a": [1,'), call(1, '{}'), finish('tool_calls')]);
  assert.deepEqual([wrong.calls.length, wrong.answer.reason, wrong.content], [1, 'tool_calls', `So:<${text}`]);
  const one = read([call(0, '{}'), call(1, '{}'), finish('tool_calls')], { hasTools: true, parallelToolCalls: false });
  assert.equal(one.calls.length, 1);
});

test('a character that comes in two deltas is one, and what was cut inside of one ends in front of it', () => {
  for (const key of ['content', 'reasoning_content']) {
    const said = (texts: string[], reason: string) => {
      const chunks = texts.map((text) => delta({ [key]: text }));
      const { content, reasoning } = read([...chunks, finish(reason)]);
      return content + reasoning;
    };
    assert.equal(said(['a\ud83d', '\ude42b', '\ud83d', '\ude42'], 'stop'), 'a🙂b🙂');
    for (const reason of ['length', 'stop']) assert.equal(said(['ab', '\ud83d'], reason), 'ab');
    assert.equal(said(['a\ud83d', 'b'], 'stop'), 'a\ufffdb');
    // Engines that decode bytes write the replacement character themselves.
    for (const texts of [['ab\ufffd'], ['a', 'b', '\ufffd\ufffd'], ['ab\ufffd', '\ufffd']])
      assert.equal(said(texts, 'length'), 'ab', JSON.stringify(texts));
    assert.equal(said(['a\ufffd', 'b\ufffd'], 'stop'), 'a\ufffdb\ufffd');
  }
  const behind = read([delta({ reasoning: 'a\ud83d' }), delta({ content: '\ude42b' }), finish('stop')]);
  assert.deepEqual([behind.reasoning, behind.content], ['a', '\ufffdb']);
});

test('counts are those of the engine, in either place, and 0 where it is silent', () => {
  const silent = read([delta({ content: 'a' }), finish('stop')]).answer.usage;
  assert.deepEqual(silent, { promptTokens: 0, completionTokens: 0, reasoningTokens: 0, cachedTokens: 0 });
  const detailed = { completion_tokens_details: { reasoning_tokens: 2 }, prompt_tokens_details: { cached_tokens: 3 } };
  for (const more of [detailed, { reasoning_tokens: 2, cached_tokens: 3 }]) {
    const { answer } = read([finish('stop'), usage({ prompt_tokens: 9, completion_tokens: 5, ...more })]);
    assert.deepEqual(answer.usage, { promptTokens: 9, completionTokens: 5, reasoningTokens: 2, cachedTokens: 3 });
  }
});

/** As an engine may write them: a count that cannot be is as good as none. */
const noCounts = ['-1', '1.5', '"7"', 'null', 'true', '[7]', '1e999', '1e300', '2147483648', '9007199254740993'];

test('what cannot be a count is none, however an engine writes it, and the largest that the books can keep is one', () => {
  const countsOf = (written: string) => {
    const counts: Chunk = JSON.parse(
      `{"prompt_tokens": ${written}, "completion_tokens": ${written}, "reasoning_tokens": ${written}, "cached_tokens": ${written}}`,
    );
    return Object.values(read([finish('stop'), usage(counts)]).answer.usage);
  };
  for (const written of noCounts) assert.deepEqual(countsOf(written), [0, 0, 0, 0], written);
  assert.deepEqual(countsOf('2147483647'), Array(4).fill(2_147_483_647));
});

test('nonsense in a chunk is nothing', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const answer = new ChatAnswer({ hasTools: true, parallelToolCalls: true, stop: [], fields: openai.answer });
      answer.push(value);
      answer.push(delta({ tool_calls: value, content: value, reasoning: value }));
    }),
  );
});
