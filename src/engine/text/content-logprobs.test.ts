import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Delta } from '../port.ts';
import { ContentLogprobs } from './content-logprobs.ts';

const token = (text: string) => ({ logprob: { token: text, logprob: -1, bytes: [], top: [] }, length: text.length });
const content = (text: string): Delta => ({ type: 'content', text });
const named = (deltas: Delta[]) =>
  deltas.map((delta) => (delta.type === 'content' ? delta.logprobs?.map((each) => each.token) : delta.type));

test('a token goes with the content that it became, also where that waited', () => {
  const logprobs = new ContentLogprobs();
  assert.deepEqual(named(logprobs.push([token('a')], [content('a')], 'answer')), [['a']]);
  assert.deepEqual(named(logprobs.push([token('st')], [], 'answer')), []);
  assert.deepEqual(named(logprobs.push([token('ay')], [content('stay')], 'answer')), [['st', 'ay']]);
  // Half of a character, and the other half.
  assert.deepEqual(named(logprobs.push([token('')], [], 'answer')), []);
  assert.deepEqual(named(logprobs.push([token('é')], [content('é')], 'answer')), [['', 'é']]);
  // A stop text: what stands in front of it is content.
  assert.deepEqual(named(logprobs.push([token('b!')], [content('b')], 'answer')), [['b!']]);
  assert.deepEqual(named(logprobs.push([token('!')], [], 'answer')), []);
});

test('tokens of reasoning, of markers and of calls are left out', () => {
  const logprobs = new ContentLogprobs();
  assert.deepEqual(named(logprobs.push([token('<think>')], [], 'reasoning')), []);
  assert.deepEqual(named(logprobs.push([token('hm')], [{ type: 'reasoning', text: 'hm' }], 'reasoning')), [
    'reasoning',
  ]);
  assert.deepEqual(named(logprobs.push([token('</think>')], [], 'gap')), []);
  assert.deepEqual(named(logprobs.push([token('\n')], [], 'gap')), []);
  assert.deepEqual(named(logprobs.push([token('Hi')], [content('Hi')], 'answer')), [['Hi']]);
  const call: Delta = { type: 'tool_call', index: 0, name: 'f', arguments: '{}' };
  assert.deepEqual(named(logprobs.push([token('{call}')], [], 'call')), []);
  assert.deepEqual(named(logprobs.push([token('end')], [call], 'between')), ['tool_call']);
  assert.deepEqual(named(logprobs.push([token('x')], [content('x')], 'answer')), [['x']]);
});
