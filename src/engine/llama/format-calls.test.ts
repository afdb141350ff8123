import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { smallShape, writeRandomModel } from '#test/random-model.ts';
import type { ChatMessage, ChatPrompt, ToolDefinition } from '../port.ts';
import { examples, type FormatExample } from '../text/formats/templates.fixture.ts';
import { ChildDriver, finishedOf, smallConfig, userPrompt } from './child-driver.fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'fanfold-formats-'));
after(() => rmSync(folder, { recursive: true }));

const note: ToolDefinition = {
  name: 'note',
  description: 'Notes something.',
  parameters: {
    type: 'object',
    properties: { level: { type: 'string', enum: ['low', 'high'] }, done: { type: 'boolean' } },
    required: ['level', 'done'],
  },
  strict: true,
};
const format = {
  type: 'json_schema',
  schema: {
    type: 'object',
    properties: { level: { enum: ['low', 'high'] } },
    required: ['level'],
    additionalProperties: false,
  },
} as const;

/** Random weights: only the grammar and the parser give the answers a form. */
async function start(example: FormatExample): Promise<ChildDriver> {
  const ggufPath = join(folder, `${examples.indexOf(example)}.gguf`);
  const usual = ['<|endoftext|>', '<|im_start|>', '<|im_end|>'];
  const control = [...usual, ...example.controlTokens.filter((text) => !usual.includes(text))];
  const special = control.map((text) => [text, 3] as const);
  const model = { shape: smallShape, seed: 5, kind: 'text', spread: 0.05, ends: true } as const;
  writeRandomModel(ggufPath, { ...model, special, template: example.source });
  return ChildDriver.start({ ...smallConfig, ggufPath });
}

for (const example of examples)
  test(`a tool loop and a JSON answer in the model's own form: ${example.name}`, async (t) => {
    const child = await start(example);
    t.after(() => child.stop());
    const write = (prompt: ChatPrompt, seed: number) => child.write(prompt, { maxTokens: 400, temperature: 1, seed });
    for (const seed of [1, 2, 3]) {
      const forced = { tools: [note], toolChoice: { mode: 'required' }, reasoningEffort: 'none' } as const;
      const answer = await write(userPrompt('Note it.', { ...forced, tools: [note] }), seed);
      const calls = answer.deltas.flatMap((delta) => (delta.type === 'tool_call' ? [delta] : []));
      assert.equal(finishedOf(answer).reason, 'tool_calls', answer.content);
      assert.equal(answer.content, '');
      for (const call of calls) {
        assert.equal(call.name, 'note');
        const given = JSON.parse(call.arguments) as Record<string, unknown>;
        assert.ok(given['level'] === 'low' || given['level'] === 'high', call.arguments);
        assert.equal(typeof given['done'], 'boolean');
      }
      const toolCalls = calls.slice(0, example.parallel === false ? 1 : 2).map(({ name, arguments: text }, at) => ({
        id: `call_${at}`,
        name,
        arguments: text,
      }));
      const messages: ChatMessage[] = [
        { role: 'user', content: 'Note it.' },
        { role: 'assistant', content: '', reasoning: null, toolCalls },
        ...toolCalls.map(({ id }): ChatMessage => ({ role: 'tool', content: 'Noted.', toolCallId: id })),
        { role: 'user', content: 'And now?' },
      ];
      const json = await write(
        {
          ...userPrompt('', { tools: [note], toolChoice: { mode: 'none' }, responseFormat: format }),
          messages,
          reasoningEffort: 'none',
        },
        seed,
      );
      assert.match(json.content, /^\{\s*"level":\s*"(low|high)"\s*\}$/);
    }
  });
