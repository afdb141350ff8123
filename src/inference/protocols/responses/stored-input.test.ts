import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, fault } from '#kernel';
import { contextExcess } from '../../context-excess.ts';
import type { StoredResponse, StoredResponses } from '../../stored-responses.ts';
import { answered, seal } from './answer.fixture.ts';
import { readResponsesRequest } from './request.ts';
import { reword } from './reword.ts';
import { withStored } from './stored-input.ts';

/** What was answered, as it is stored. */
function store(body: object, ...said: string[]): StoredResponse {
  const { answer, collected } = answered(body);
  const deltas = said.map((text, index) => ({
    type: index === 0 ? ('reasoning' as const) : ('content' as const),
    text,
  }));
  const stored = answer.stored?.(collected(deltas, 'stop')) ?? assert.fail();
  return { ...JSON.parse(JSON.stringify(stored)), createdAt: new Date(0) };
}

/** Counts what it was asked for. */
function storeOf(responses: StoredResponse[]) {
  const asked: string[] = [];
  const find = (id: string) => responses.find((each) => each.id === id) ?? null;
  const stored: StoredResponses = {
    async find(id) {
      asked.push(id);
      return find(id);
    },
    async chain(id) {
      const response = find(id);
      if (response === null) return null;
      if (response.previousId === null) return [response];
      const before = await stored.chain(response.previousId);
      return before && [...before, response];
    },
    remove: async () => false,
  };
  return { stored, asked };
}

const resolved = async (body: object, responses: StoredResponse[]) => {
  const { stored, asked } = storeOf(responses);
  const wanted = await withStored(readResponsesRequest({ model: 'm', ...body }, seal), stored, seal);
  return { wanted, asked, messages: wanted.prompt.messages };
};

const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string, reasoning: string | null = null) => ({
  role: 'assistant',
  content,
  reasoning,
  toolCalls: [],
});

test('a response follows those before it, with the instructions of its own call only', async () => {
  const first = store({ input: 'One?', instructions: 'Old.' }, 'hm', 'One.');
  const second = store({ input: 'Two?', previous_response_id: first.id, instructions: 'Older.' }, 'hm hm', 'Two.');
  const { wanted, messages } = await resolved(
    { input: 'Three?', previous_response_id: second.id, instructions: 'New.' },
    [first, second],
  );
  assert.deepEqual(messages, [
    { role: 'system', content: 'New.' },
    ...[user('One?'), assistant('One.', 'hm'), user('Two?'), assistant('Two.', 'hm hm'), user('Three?')],
  ]);
  assert.ok((wanted.addedBytes ?? 0) > 200);
  const without = await resolved({ previous_response_id: first.id }, [first]);
  assert.deepEqual(without.messages, [user('One?'), assistant('One.', 'hm')]);
});

test('a call of a tool goes on with its output alone', async () => {
  const { answer, collected } = answered({ tools: [{ type: 'custom', name: 'patch' }] });
  const call = { type: 'tool_call', index: 0, name: 'patch', arguments: '{"input":"x"}', callId: 'call_1' } as const;
  const stored = answer.stored?.(collected([call], 'tool_calls')) ?? assert.fail();
  const output = { type: 'custom_tool_call_output', call_id: 'call_1', output: 'done' };
  const { messages } = await resolved({ input: [output], previous_response_id: stored.id }, [
    { ...stored, createdAt: new Date(0) },
  ]);
  assert.deepEqual(messages.slice(1), [
    { ...assistant(''), toolCalls: [{ id: 'call_1', name: 'patch', arguments: '{"input":"x"}' }] },
    { role: 'tool', content: 'done', toolCallId: 'call_1' },
  ]);
});

test('references stand for items of stored responses, each of which is looked for once', async () => {
  const first = store({ input: 'One?' }, 'hm', 'One.');
  const second = store({ input: 'Two?' }, 'hm hm', 'Two.');
  const [thought, said] = [first, second].map(({ body }) => Reflect.get(body, 'output') as { id: string }[]);
  const input = [
    ...[{ id: Reflect.get(first.input[0] ?? {}, 'id') }, { type: 'item_reference', id: thought?.[0]?.id }],
    ...[
      { type: 'item_reference', id: thought?.[1]?.id, role: null },
      { role: 'user', content: 'Again?' },
    ],
    ...[{ id: said?.[1]?.id, type: null }],
  ];
  const { wanted, asked, messages } = await resolved({ input }, [first, second]);
  assert.deepEqual(messages, [user('One?'), assistant('One.', 'hm'), user('Again?'), assistant('Two.')]);
  assert.deepEqual(asked, [first.id, second.id]);
  assert.ok(
    wanted.input.items.every((item) => item.type !== 'item_reference'),
    'they are stored as what they mean',
  );
});

test('references to more than any context has room for are refused before all of it is in memory', async () => {
  const large = store({ input: 'x'.repeat(6 * 2 ** 20) }, '', 'One.');
  const reference = { type: 'item_reference', id: Reflect.get(large.input[0] ?? {}, 'id') };
  await resolved({ input: [reference, reference] }, [large]);
  await assert.rejects(resolved({ input: [reference, reference, reference] }, [large]), /^Fault: input: .*16 MiB/);
});

test('what was not stored, or is gone, is told with its field and what helps', async () => {
  const first = store({ input: 'One?' }, 'hm', 'One.');
  const second = store({ input: 'Two?', previous_response_id: first.id }, '', 'Two.');
  const key = first.id.slice('resp_'.length);
  const references = ['msg_x', `msg_${key}_9`, `fc_${key}_1`, `msg_${key}_i3`, 'msg_\u0000_1', 'resp_1', ''];
  for (const id of references)
    await assert.rejects(
      resolved(
        {
          input: [
            { role: 'user', content: 'x' },
            { type: 'item_reference', id },
          ],
        },
        [first],
      ),
      (error: unknown) => {
        assert.ok(error instanceof Fault);
        assert.deepEqual([error.row.status, error.options.param], [400, 'input[1].id']);
        assert.match(error.message, /^input\[1\]\.id: Item with id '.*' not found\..*store: false/s);
        return true;
      },
    );
  for (const id of ['resp_1', 'x', '', second.id, `\u0000${first.id}`])
    await assert.rejects(resolved({ input: 'x', previous_response_id: id }, [second]), (error: unknown) => {
      assert.ok(error instanceof Fault);
      assert.deepEqual([error.row.code, error.row.status], ['previous_response_not_found', 400]);
      assert.equal(error.options.param, 'previous_response_id');
      assert.match(error.message, /^Previous response with id '.*' not found\..* input\.$/s);
      return true;
    });
});

test('a refusal speaks of the fields of this protocol', () => {
  const excess = (promptTokens: number, maxTokens: number) =>
    reword(contextExcess({ promptTokens, maxTokens, maxContextTokens: 4096 }) ?? assert.fail());
  for (const [problem, param, words] of [
    [
      excess(5000, 1),
      'input',
      /maximum context length is 4096 tokens; your input has 5000\..*prompt is too long.*truncation/,
    ],
    [excess(4000, 200), 'max_output_tokens', /you requested 4200 \(4000 in the input, 200 in max_output_tokens\)/],
  ] as const) {
    assert.deepEqual([problem.row.code, problem.row.status], ['context_length_exceeded', 400]);
    assert.equal(problem.options.param, param);
    assert.match(problem.message, words);
    assert.match(problem.message, /exceeds the context window/);
  }
  const other = reword(fault('invalid_request', { param: 'messages', message: 'messages: odd.', internal: 'why' }));
  assert.deepEqual(other.options, { param: 'input', message: 'input: odd.', internal: 'why' });
  const format = reword(fault('invalid_request', { param: 'response_format', message: 'No such keyword.' }));
  assert.deepEqual([format.options.param, format.message], ['text.format', 'No such keyword.']);
  const details = { prompt_tokens: 5000, max_tokens: null, max_context_tokens: 4096, instruction_tokens: 4500 };
  const blamed = fault('invalid_request', { param: 'messages', message: 'The instructions alone take 4500.', details });
  assert.deepEqual([reword(blamed).fault, reword(blamed).message], ['invalid_request', blamed.message]);
  assert.equal(reword(blamed).options.param, 'input');
  const untouched = fault('model_not_found', { param: 'model' });
  assert.equal(reword(untouched), untouched);
});
