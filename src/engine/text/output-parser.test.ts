import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuMsOf } from '#test/cpu-time.ts';
import { fc } from '#test/properties.ts';
import { formats } from './formats/formats.fixture.ts';
import { corpus, sun, sunCall } from './output-corpus.fixture.ts';
import { clock, contentAroundCalls, empty, run, type Setup, weather } from './output-parser.fixture.ts';
import { OutputParser } from './output-parser.ts';

test('every output of the corpus becomes the right reasoning, content, calls, reason and stop text', () => {
  for (const { name, text, setup, expected } of corpus)
    assert.deepEqual(run([text], setup), { ...empty, ...expected }, name);
});

test('no split of an output changes the result: every pair of points, and one unit at a time', () => {
  for (const { name, text, setup, expected } of corpus) {
    const whole = { ...empty, ...expected };
    assert.deepEqual(run(text.split(''), setup), whole, name);
    for (let first = 0; first <= text.length; first += 1) {
      for (let second = first; second <= text.length; second += first % 4 === 0 ? 1 : 7) {
        const pieces = [text.slice(0, first), text.slice(first, second), text.slice(second)];
        assert.deepEqual(run(pieces, setup), whole, `${name} at ${first}, ${second}`);
      }
    }
  }
});

test('no split of a generated output changes the result', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '<think>',
      '</think>',
      '<tool_call>',
      '</tool_call>',
      '\n',
      ' ',
      '<',
      '</',
      '"',
      '\\',
      '{',
      '🙂',
      'END',
    ),
    fc.constantFrom(sun, '{"name":"clock","arguments":{"a":"', '"}}', '<function=clock>', '</function>', 'E', 'think>'),
    fc.string({ unit: 'grapheme', maxLength: 5 }),
  );
  const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
  const setup = fc.record({
    startsInReasoning: fc.boolean(),
    parallelToolCalls: fc.boolean(),
    format: fc.constantFrom(formats.json, formats.xml),
    tools: fc.constantFrom([], [weather, clock]),
    stop: fc.subarray(['END', '\n\n', '🙂', '</', 'EE', ' ']),
    cause: fc.constantFrom('eog' as const, 'length' as const),
  });
  const cuts = fc.array(fc.nat(200), { maxLength: 20 });
  const property = fc.property(text, setup, cuts, (output, options, points) => {
    const whole = run([output], options);
    const sorted = [0, ...points.filter((point) => point < output.length).sort((a, b) => a - b), output.length];
    const pieces = sorted.map((point, index) => output.slice(sorted[index - 1] ?? 0, point));
    assert.deepEqual(run(pieces, options), whole);
    assert.deepEqual(run(output.split(''), options), whole);
    // What stands before a call and what stands behind it may be one when they are put together; the model did not write that.
    for (const content of contentAroundCalls(output, options))
      for (const stop of options.stop) assert.ok(!content.includes(stop), 'stop text is not returned');
    if (options.tools.length === 0) assert.equal(whole.calls.length, 0);
    assert.equal(whole.reason === 'tool_calls', whole.calls.length > 0);
    assert.ok(
      whole.stopText === null || options.stop.includes(whole.stopText),
      'a stop text is one of those asked for',
    );
  });
  fc.assert(property, { numRuns: 3000 });
});

test('of stop strings that end at once the longest has ended the answer', () => {
  const { content, stopText } = run(['abcd'], { stop: ['c', 'abc', 'bc'] });
  assert.deepEqual([content, stopText], ['', 'abc']);
});

test('text is handed on at once where it can begin no tag and no stop string', () => {
  const parser = new OutputParser({
    startsInReasoning: false,
    tools: [],
    format: formats.json,
    parallelToolCalls: true,
    stop: ['stop'],
  });
  assert.deepEqual(parser.push('Hello', 1), [{ type: 'content', text: 'Hello' }]);
  assert.deepEqual(parser.push(' st', 1), [{ type: 'content', text: ' ' }]);
  assert.deepEqual(parser.push('ay <', 1), [{ type: 'content', text: 'stay <' }]);
  assert.deepEqual(parser.push('b> \uD83D', 1), [{ type: 'content', text: 'b> ' }]);
  assert.deepEqual(parser.push('\uDE42', 1), [{ type: 'content', text: '🙂' }]);
});

test('reasoning tokens are those up to the closing tag, and the parser tells where it stands', () => {
  const parser = new OutputParser({
    startsInReasoning: false,
    tools: [clock],
    format: formats.json,
    parallelToolCalls: false,
    stop: [],
  });
  const state = () => [parser.phase === 'start', parser.phase === 'reasoning', parser.reasoningTokens];
  assert.deepEqual(state(), [true, false, 0]);
  parser.push('<think>', 1);
  parser.push('\n', 1);
  assert.deepEqual(state(), [false, true, 2]);
  parser.push('hm </think', 3);
  assert.deepEqual(state(), [false, true, 5]);
  parser.push('>\n\nA', 2);
  assert.deepEqual(state(), [false, false, 7]);
  parser.push('nswer <tool_call>{"name":"clock"}</tool_call>', 9);
  assert.deepEqual(state(), [false, false, 7]);
  assert.equal(parser.stopped, 'tool_calls');
  assert.deepEqual(parser.push('more', 1), []);
  assert.deepEqual(parser.end('length'), []);
  assert.equal(parser.reason, 'tool_calls');
});

test('half a character that never becomes whole is left out at the end of a text, and replaced within one', () => {
  const cases: [string[], Partial<ReturnType<typeof run>>][] = [
    [['a\uD83D'], { content: 'a' }],
    [['a', '\uD83D', ''], { content: 'a' }],
    [['<think>a\uD83D', '</think>x'], { reasoning: 'a', content: 'x' }],
    [['<think>\uD83D</think>\uD83D'], {}],
    [[`a\uD83D${sun}`], { content: 'a', calls: [sunCall], reason: 'tool_calls' }],
    [['a\uD83D', 'b'], { content: 'a\uFFFDb' }],
    [['\uDE42a\uDE42', '\uD83D\uD83D', '\uDE42'], { content: '\uFFFDa\uFFFD\uFFFD🙂' }],
  ];
  for (const [pieces, expected] of cases)
    assert.deepEqual(run(pieces), { ...empty, ...expected }, JSON.stringify(pieces));
});

test('the time is linear in the output, whatever it holds', () => {
  const parts = 200_000;
  const outputs: [string, Setup][] = [
    ['<'.repeat(parts), {}],
    [`<think>${'\n'.repeat(parts)}x`, {}],
    [`<tool_call>{"a":"${'</tool_call>'.repeat(parts / 10)}`, {}],
    ['<tool_call></tool_call>'.repeat(parts / 20), {}],
    ['a'.repeat(parts), { stop: [`${'a'.repeat(parts / 2)}b`] }],
    [
      `<tool_call><function=clock>${'<parameter=a>\n</parameter>'.repeat(parts / 20)}</tool_call>`,
      { format: formats.xml },
    ],
    [`x${' '.repeat(parts)}y`, {}],
  ];
  for (const [output, setup] of outputs) {
    const ms = cpuMsOf(() => run(output.match(/[\s\S]{1,3}/g) ?? [], setup));
    assert.ok(ms < 3_000, `${output.slice(0, 20)}: ${ms} ms`);
  }
});
