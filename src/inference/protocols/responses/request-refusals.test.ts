import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Compile } from 'typebox/schema';
import { createTextSeal, Fault } from '#kernel';
import { fc } from '#test/properties.ts';
import { responsesRequestSchema } from './request.schema.ts';
import { readResponsesRequest } from './request.ts';

const seal = createTextSeal(Buffer.alloc(32, 1), 'reasoning');

function problemOf(body: object): [string | undefined, string] {
  try {
    readResponsesRequest({ model: 'm', input: 'Hi', ...body }, seal);
  } catch (error) {
    assert.ok(error instanceof Fault, String(error));
    assert.equal(error.row.status, 400);
    return [error.options.param, error.message];
  }
  assert.fail(`was read: ${JSON.stringify(body)}`);
}

test('whatever is wrong is told with its field', () => {
  const cases: [object, string, RegExp][] = [
    [{ model: '' }, 'model', /non-empty string/],
    [{ input: null }, 'input', /expected text or a list with at least one item/],
    [{ input: [] }, 'input', /at least one item/],
    [{ input: [{ type: 'web_search_call' }] }, 'input', /at least one message, call or output/],
    [{ instructions: 'x', input: [{ type: 'reasoning', summary: [] }] }, 'input', /at least one message/],
    [{ input: 5 }, 'input', /expected text or a list of items/],
    [{ input: [5] }, 'input[0]', /expected an object/],
    [{ input: [{}] }, 'input[0].role', /"user", "assistant", "system", "developer"/],
    [{ input: [{ type: 5 }] }, 'input[0].type', /expected a string/],
    [{ input: [{ role: 'tool', content: 'x' }] }, 'input[0].role', /expected one of/],
    [{ input: [{ role: 'user' }] }, 'input[0].content', /expected a string or a list/],
    [{ input: [{ role: 'user', content: 5, id: 'x' }] }, 'input[0].content', /expected a string or a list/],
    [
      {
        input: [
          {
            role: 'user',
            content: [
              { type: 'input_text', text: 'x' },
              { type: 'input_image', image_url: 'x' },
            ],
          },
        ],
      },
      'input[0].content[1].image_url',
      /this is no image/,
    ],
    [{ input: [{ role: 'user', content: [{ type: 'input_file' }] }] }, 'input[0].content[0].type', /"input_file"/],
    [{ input: [{ role: 'user', content: [{ type: 'input_text' }] }] }, 'input[0].content[0].text', /expected a string/],
    [{ input: [{ type: 'function_call', call_id: 'a', name: 'x' }] }, 'input[0].arguments', /expected a string/],
    [{ input: [{ type: 'function_call', name: 'x', arguments: '' }] }, 'input[0].call_id', /non-empty string/],
    [{ input: [{ type: 'function_call_output', call_id: 'a' }] }, 'input[0].output', /expected a string or a list/],
    [
      { input: [{ type: 'function_call_output', call_id: 'a', output: [{ type: 'input_text' }] }] },
      'input[0].output[0].text',
      /expected a string/,
    ],
    [{ instructions: 5 }, 'instructions', /expected a string/],
    [{ max_output_tokens: 0 }, 'max_output_tokens', /at least 1/],
    [{ temperature: 3 }, 'temperature', /from 0 to 2/],
    [{ top_p: '1' }, 'top_p', /a number/],
    [{ reasoning: { effort: 'extreme' } }, 'reasoning.effort', /"none", "minimal", "low"/],
    [{ text: { format: { type: 'grammar' } } }, 'text.format.type', /"text", "json_object" or "json_schema"/],
    [{ text: { format: { type: 'json_schema', schema: 'x' } } }, 'text.format.schema', /JSON schema object/],
    [{ truncation: 'some' }, 'truncation', /"auto", "disabled"/],
    [{ metadata: { a: 1 } }, 'metadata.a', /text of at most 512/],
    [{ metadata: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [n, ''])) }, 'metadata', /at most 16/],
    [{ store: 'yes' }, 'store', /true or false/],
    [{ stream: 1 }, 'stream', /true or false/],
    [{ background: true }, 'background', /in the background/],
    [{ prompt: { id: 'p' } }, 'prompt', /send instructions and input/],
    [{ conversation: 'conv_1' }, 'conversation', /previous_response_id/],
    [{ top_logprobs: 5 }, 'top_logprobs', /not supported/],
    [{ include: 'x' }, 'include', /a list/],
    [{ tools: {} }, 'tools', /a list of tools/],
    [{ tools: [{ type: 'function', name: 'a b' }] }, 'tools[0].name', /1 to 128 letters/],
    [{ tools: [{ type: 'function', function: { name: 'a' } }] }, 'tools[0].name', /1 to 128 letters/],
    [{ tools: [{ type: 'function', name: 'x'.repeat(129) }] }, 'tools[0].name', /1 to 128 letters/],
    [{ tools: [{ type: 'function', name: 'a', parameters: 'x' }] }, 'tools[0].parameters', /JSON schema object/],
    [
      { tools: [{ type: 'function', name: 'a' }, { type: 'web_search' }, { type: 'function', name: 'a' }] },
      'tools[2].name',
      /two functions/,
    ],
    [{ tool_choice: 'required' }, 'tool_choice', /needs tools/],
    [{ tool_choice: 'any' }, 'tool_choice', /"auto", "none", "required"/],
    [{ tool_choice: { type: 'function', name: 'b' } }, 'tool_choice', /not sent/],
    [
      { tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'b' }] } },
      'tool_choice.tools[0]',
      /not sent/,
    ],
  ];
  for (const [body, param, message] of cases) {
    const [told, words] = problemOf(body);
    assert.equal(told, param, words);
    assert.match(words, message);
    assert.ok(words.startsWith(`${param}: `), words);
  }
});

test('any value in the fields of a request is read or refused as invalid, never anything else', () => {
  const validator = Compile(responsesRequestSchema);
  const types = fc.constantFrom(
    ...['message', 'function_call', 'function_call_output', 'custom_tool_call', 'custom_tool_call_output'],
    ...['reasoning', 'item_reference', 'web_search_call', 'function', 'custom', 'namespace', 'input_text'],
  );
  const part = fc.dictionary(fc.constantFrom('type', 'text', 'refusal'), fc.oneof(types, fc.jsonValue()));
  const names = fc.constantFrom(
    ...['type', 'role', 'content', 'call_id', 'name', 'arguments', 'output', 'input', 'id', 'summary', 'tools'],
  );
  const roles = fc.constantFrom('user', 'assistant', 'developer');
  const item = fc.dictionary(names, fc.oneof(types, roles, fc.string(), fc.array(part), fc.jsonValue()));
  const body = fc.record(
    {
      input: fc.oneof(fc.array(item), fc.string(), fc.jsonValue()),
      tools: fc.oneof(fc.array(item), fc.jsonValue()),
      tool_choice: fc.oneof(item, fc.constantFrom('auto', 'none'), fc.jsonValue()),
      text: fc.dictionary(fc.constantFrom('format', 'verbosity'), fc.jsonValue()),
      metadata: fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.jsonValue())),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(body, (fields) => {
      const sent = { model: 'm', ...fields };
      try {
        readResponsesRequest(sent, seal);
        assert.ok(validator.Check(sent));
      } catch (error) {
        assert.ok(error instanceof Fault, String(error));
        assert.equal(error.row.status, 400);
      }
    }),
  );
});
