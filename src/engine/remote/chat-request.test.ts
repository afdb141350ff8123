import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseExactJson } from '#kernel';
import { prompt, sampling } from './chat-call.fixture.ts';
import { engineDialects } from './dialects/index.ts';
import { chatBody } from './remote-chat.ts';

test('schemas and calls go to an engine with the digits and the order of names that the caller sent', () => {
  const text =
    '{"type":"object","properties":{"reason":{"const":9007199254740993},"10":{"maximum":1e400},"2":{"enum":[1.0]}}}';
  // as: a JSON object.
  const schema = parseExactJson(text) as Record<string, unknown>;
  const args = '{"reason": 1.0, "10": 1234567890123456789, "2": 1e400}';
  for (const dialect of Object.values(engineDialects))
    for (const toolChoice of [{ mode: 'auto' }, { mode: 'required' }] as const) {
      const sent = JSON.stringify(
        chatBody(
          { dialect, model: 'big' },
          {
            ...prompt,
            toolChoice,
            responseFormat: { type: 'json_schema', schema },
            tools: [{ name: 'look', description: null, parameters: schema }],
            messages: [
              {
                role: 'assistant',
                content: '',
                reasoning: null,
                toolCalls: [{ id: 'c', name: 'look', arguments: args }],
              },
            ],
          },
          { sampling, cacheScope: 'a', streams: true },
        ),
      );
      assert.equal(sent.split(text).length, 3, sent);
      assert.ok(sent.includes(JSON.stringify(args)), sent);
    }
});
