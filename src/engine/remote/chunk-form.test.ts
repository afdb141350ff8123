import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#test/properties.ts';
import { saidIn } from './chunk-fields.ts';
import { ChunkForms } from './chunk-form.ts';
import { type Chunk, delta } from './upstream.fixture.ts';

/** As JavaScript and as Python write it. */
const writings = [
  (chunk: Chunk) => JSON.stringify(chunk),
  (chunk: Chunk) => JSON.stringify(chunk, null, 1).replaceAll(/\n\s*/g, ' '),
];
const head = { id: 'chatcmpl-1', model: 'a "content": "b"', created: 1 };
const learned = (data: string): ChunkForms => {
  const forms = new ChunkForms();
  forms.learn(data, JSON.parse(data));
  return forms;
};

test('a chunk of the learned form says what it says when it is read as JSON, whatever its text', () => {
  const field = fc.constantFrom('content', 'reasoning_content', 'reasoning');
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('"', '\\', '\n', '\\"', '"},"finish_reason":"stop'),
  );
  fc.assert(
    fc.property(fc.constantFrom(...writings), field, fc.string({ minLength: 1 }), text, (write, key, first, next) => {
      const forms = learned(write({ ...head, ...delta({ [key]: first }) }));
      const data = write({ ...head, ...delta({ [key]: next }) });
      assert.equal(forms.textIn(data), next);
      assert.equal(forms.kind, key === 'content' ? 'content' : 'reasoning');
      const [around, behind] = [`data: ${data}`, `data: ${data}\n\n`];
      assert.equal(forms.textIn(behind, 'data: '.length, around.length), next);
      assert.equal(forms.textIn(behind, 'data: '.length, around.length - 1), null);
      assert.equal(forms.textIn(behind, 'data: '.length - 1, around.length), null);
    }),
  );
});

test('what is no JSON, or says more or something else, is not taken for a text', () => {
  const form = learned(JSON.stringify({ ...head, ...delta({ content: 'a' }) }));
  const chunks: Chunk[] = [
    { ...head, ...delta({ reasoning: 'a' }) },
    { ...head, ...delta({ content: 'a', tool_calls: [] }) },
    { ...head, ...delta({ content: 'a' }), usage: { prompt_tokens: 1 } },
    { ...head, choices: [{ index: 0, delta: { content: 'a' }, finish_reason: 'stop' }] },
    { ...head, id: 'another', ...delta({ content: 'a' }) },
  ];
  for (const chunk of chunks) assert.equal(form.textIn(JSON.stringify(chunk)), null, JSON.stringify(chunk));
  const whole = JSON.stringify({ ...head, ...delta({ content: 'TEXT' }) });
  for (const broken of ['a"b', 'a\\', '\u0001', '","more":"'])
    assert.equal(form.textIn(whole.replace('TEXT', () => broken)), null, broken);
});

test('chunks that say a text beside something else teach no form', () => {
  const chunks: Chunk[] = [
    { ...head, ...delta({ content: 'a' }), usage: { prompt_tokens: 1 } },
    { ...head, ...delta({ content: 'a' }), error: null },
    { ...head, ...delta({ content: 'a', reasoning: 'b' }) },
    { ...head, ...delta({ role: 'assistant', content: '' }) },
    { ...head, ...delta({ content: 'a', tool_calls: [] }) },
    { ...head, ...delta({ content: [{ type: 'text', text: 'a' }] }) },
    { ...head, ...delta({ content: [{ type: 'text', text: 'a' }], reasoning: 'b' }) },
    { ...head, ...delta({ text: 'a' }) },
    { ...head, choices: [{ index: 1, delta: { content: 'a' } }] },
    {
      ...head,
      choices: [
        { index: 0, delta: { content: 'a' } },
        { index: 1, delta: { content: 'b' } },
      ],
    },
    { ...head, choices: [{ index: 0, delta: { content: 'a' }, finish_reason: 'stop' }] },
  ];
  for (const chunk of chunks) {
    const data = JSON.stringify(chunk);
    assert.equal(saidIn(chunk), null, data);
    assert.equal(learned(data).textIn(data), null, data);
  }
});

test('a stream whose chunks differ in more than their text is read as JSON all along', () => {
  const forms = new ChunkForms();
  for (let n = 0; n < 50; n += 1) {
    const data = JSON.stringify({ ...head, n, ...delta({ content: 'a' }) });
    assert.equal(forms.textIn(data), null);
    forms.learn(data, JSON.parse(data));
  }
});
