import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, parseExactJson } from '#kernel';
import { signatures } from './messages.fixture.ts';
import { readCountRequest, readMessagesRequest } from './messages-request.ts';

const hello = { model: 'chat', max_tokens: 64, messages: [{ role: 'user', content: 'Hello!' }] };
const read = (fields: object) => readMessagesRequest({ ...hello, ...fields }, signatures);
const weather = { name: 'get_weather', input_schema: { type: 'object', properties: { city: { type: 'string' } } } };

function refusalOf(fields: object): string {
  try {
    read(fields);
    return 'none';
  } catch (error) {
    assert.ok(error instanceof Fault && error.fault === 'invalid_request', String(error));
    return error.message;
  }
}

test('a plain question is answered in text, without thoughts, with the defaults of the catalogue', () => {
  assert.deepEqual(read({}), {
    model: 'chat',
    prompt: {
      messages: [{ role: 'user', content: 'Hello!' }],
      tools: [],
      toolChoice: { mode: 'auto' },
      parallelToolCalls: true,
      responseFormat: { type: 'text' },
      reasoningEffort: 'none',
      effortIsHint: true,
    },
    sampling: {
      maxTokens: 64,
      temperature: 1,
      topP: 1,
      topK: null,
      presencePenalty: 0,
      frequencyPenalty: 0,
      seed: null,
      stop: [],
    },
    stream: false,
    fitsContext: true,
    hidesThinking: false,
  });
});

test('sampling is taken as it is asked for', () => {
  const { sampling, stream } = read({
    temperature: 0.5,
    top_p: 0.9,
    top_k: 40,
    stop_sequences: ['END', '\n\n'],
    stream: true,
  });
  assert.deepEqual(
    [sampling.temperature, sampling.topP, sampling.topK, sampling.stop, stream],
    [0.5, 0.9, 40, ['END', '\n\n'], true],
  );
  assert.equal(read({ top_k: 0 }).sampling.topK, null);
  // LangChain says -1 where nothing is meant.
  assert.deepEqual(read({ top_k: -1, top_p: -1 }).sampling, read({}).sampling);
});

test('thinking becomes an effort, with a bound where one is given', () => {
  const cases: [object, string | null, number | undefined, boolean][] = [
    [{}, 'none', undefined, false],
    [{ thinking: null }, 'none', undefined, false],
    [{ thinking: { type: 'disabled' } }, 'none', undefined, false],
    [{ thinking: { type: 'disabled' }, output_config: { effort: 'high' } }, 'none', undefined, false],
    [{ thinking: { type: 'enabled', budget_tokens: 1024 } }, 'high', 1024, false],
    [{ thinking: { type: 'enabled', budget_tokens: 1024, display: 'omitted' } }, 'high', 1024, true],
    [{ thinking: { type: 'enabled' }, output_config: { effort: 'low' } }, 'low', undefined, false],
    [{ thinking: { type: 'adaptive' } }, null, undefined, false],
    [{ thinking: { type: 'adaptive', display: 'summarized' } }, null, undefined, false],
    [{ thinking: { type: 'adaptive', display: 'omitted' }, output_config: { effort: 'max' } }, 'high', undefined, true],
    [{ thinking: { type: 'between_tools' } }, null, undefined, false],
    [{ output_config: { effort: 'medium' } }, 'high', undefined, false],
    [{ output_config: { effort: 'low', task_budget: { type: 'tokens', total: 9 } } }, 'low', undefined, false],
    [{ output_config: { effort: null } }, 'none', undefined, false],
  ];
  for (const [fields, effort, budget, hides] of cases) {
    const { prompt, sampling, hidesThinking } = read(fields);
    const got = [prompt.reasoningEffort, Reflect.get(sampling, 'maxReasoningTokens'), hidesThinking];
    assert.deepEqual(got, [effort, budget, hides], JSON.stringify(fields));
  }
});

test('a schema of the answer is taken under both of its names', () => {
  const format = { type: 'json_schema', schema: { type: 'object', properties: {} } };
  const wanted = { type: 'json_schema', schema: format.schema };
  assert.deepEqual(read({ output_config: { format } }).prompt.responseFormat, wanted);
  assert.deepEqual(read({ output_format: format }).prompt.responseFormat, wanted);
  assert.deepEqual(read({ output_config: { format: null } }).prompt.responseFormat, { type: 'text' });
});

test('functions and client tools are tools, and those that run on a server are left out', () => {
  const { tools } = read({
    tools: [
      { ...weather, type: 'custom', description: 'Weather.', strict: true, cache_control: { type: 'ephemeral' } },
      { type: 'bash_20250124', name: 'bash' },
      { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool', max_characters: 9 },
      { type: 'text_editor_20250124', name: 'str_replace_editor' },
      { type: 'memory_20250818', name: 'memory' },
      { type: 'web_search_20250305', name: 'web_search', max_uses: 5 },
      { type: 'web_fetch_20250910', name: 'web_fetch' },
      { type: 'code_execution_20250825', name: 'code_execution' },
      { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' },
      { type: 'mcp_toolset', mcp_server_name: 'x' },
      { type: 'computer_20251124', name: 'computer', display_width_px: 1, display_height_px: 1 },
      { type: 'computer_toolset_20260801' },
      { type: 'advisor_20260301', name: 'advisor', model: 'x' },
      { type: 'something_new_20300101', name: 'new' },
      { type: 'function', name: 'named', input_schema: { type: 'object' } },
      { name: 'a'.repeat(128), input_schema: { type: 'object' }, type: null, description: null },
    ],
  }).prompt;
  assert.deepEqual(
    tools.map(({ name }) => name),
    [
      ...['get_weather', 'bash', 'str_replace_based_edit_tool', 'str_replace_editor', 'memory', 'named'],
      'a'.repeat(128),
    ],
  );
  assert.deepEqual(tools[0], {
    name: 'get_weather',
    description: 'Weather.',
    parameters: weather.input_schema,
    strict: true,
  });
  for (const tool of tools.slice(1, 5)) assert.equal(tool.parameters?.['type'], 'object', tool.name);
  assert.match(JSON.stringify(tools[2]?.parameters), /insert_text/);
  assert.match(JSON.stringify(tools[3]?.parameters), /undo_edit/);
});

test('numbers in schemas and arguments stay as they were written, and so does the order of names', () => {
  const text =
    '{"tools":[{"name":"f","input_schema":{"b":1.50,"10":12345678901234567890,"2":{}}}],' +
    '"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f",' +
    '"input":{"b":1.0,"10":12345678901234567890,"2":[]}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}]}';
  const { prompt } = read(parseExactJson(text) as object);
  assert.equal(JSON.stringify(prompt.tools[0]?.parameters), '{"b":1.50,"10":12345678901234567890,"2":{}}');
  const [, answer] = prompt.messages;
  assert.ok(answer?.role === 'assistant');
  assert.equal(answer.toolCalls[0]?.arguments, '{"b":1.0,"10":12345678901234567890,"2":[]}');
});

test('a choice of tools is obeyed; a tool that was left out is not forced', () => {
  const search = { type: 'web_search_20250305', name: 'web_search' };
  const cases: [object, object, boolean][] = [
    [{ type: 'auto' }, { mode: 'auto' }, true],
    [{ type: 'auto', disable_parallel_tool_use: true }, { mode: 'auto' }, false],
    [{ type: 'any' }, { mode: 'required' }, true],
    [{ type: 'any', disable_parallel_tool_use: true }, { mode: 'required' }, false],
    [{ type: 'tool', name: 'get_weather' }, { mode: 'named', name: 'get_weather' }, true],
    [{ type: 'tool', name: 'web_search' }, { mode: 'auto' }, true],
    [{ type: 'none' }, { mode: 'none' }, true],
  ];
  for (const [choice, mode, parallel] of cases) {
    const { prompt } = read({ tools: [weather, search], tool_choice: choice });
    assert.deepEqual([prompt.toolChoice, prompt.parallelToolCalls], [mode, parallel], JSON.stringify(choice));
  }
  assert.deepEqual(read({ tools: [search], tool_choice: { type: 'any' } }).prompt.toolChoice, { mode: 'auto' });
});

test('what clients send beside is ignored', () => {
  const extra = {
    metadata: { user_id: 'u' },
    service_tier: 'auto',
    container: null,
    mcp_servers: [],
    betas: ['x'],
    context_management: { edits: [] },
    cache_control: { type: 'ephemeral' },
    inference_geo: 'eu',
    speed: 'fast',
    diagnostics: {},
    anything: [1],
  };
  const nulls = Object.fromEntries(
    ['system', 'tools', 'tool_choice', 'thinking', 'output_config', 'temperature', 'top_p', 'top_k', 'stream'].map(
      (name) => [name, null],
    ),
  );
  assert.deepEqual(read({ ...extra, ...nulls, stop_sequences: null }), read({}));
});

test('what is wrong is told with the path of its field', () => {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: '' } };
  const user = (content: unknown) => ({ messages: [{ role: 'user', content }] });
  const cases: [object, RegExp][] = [
    [{ model: undefined }, /^model: this field is required: expected a non-empty string$/],
    [{ model: '' }, /^model: expected a non-empty string$/],
    [{ max_tokens: undefined }, /^max_tokens: this field is required: expected an integer/],
    [{ max_tokens: null }, /^max_tokens: expected an integer/],
    [{ max_tokens: 0 }, /^max_tokens: expected an integer of at least 1$/],
    [{ max_tokens: '64' }, /^max_tokens: /],
    [{ messages: undefined }, /^messages: this field is required: /],
    [{ messages: [] }, /^messages: expected a list with at least one message$/],
    [{ messages: 'Hello' }, /^messages: expected a list/],
    [{ messages: ['Hello'] }, /^messages\.0: /],
    [{ messages: [{ role: 'tool', content: 'x' }] }, /^messages\.0\.role: expected "user", "assistant" or "system"$/],
    [{ messages: [{ content: 'x' }] }, /^messages\.0\.role: .*required/],
    [user(5), /^messages\.0\.content: expected a string or a list of blocks$/],
    [user(undefined), /^messages\.0\.content: .*required/],
    [user([image]), /^messages\.0\.content\.0\.source\.data: the image is not in base64/],
    [user([{ type: 'document', source: { type: 'base64' } }]), /^messages\.0\.content\.0\.source\.type: .*text only/],
    [user([{ type: 'text' }]), /^messages\.0\.content\.0\.text: .*expected a string$/],
    [user([{ type: 'tool_use', id: 'a', name: 'f', input: {} }]), /^messages\.0\.content\.0\.type: /],
    [
      user([{ type: 'tool_result', tool_use_id: 'a', content: [image] }]),
      /^messages\.0\.content\.0\.content\.0\.type: this/,
    ],
    [user([{ type: 'tool_result' }]), /^messages\.0\.content\.0\.tool_use_id: /],
    [{ messages: [{ role: 'assistant', content: [image] }] }, /^messages\.0\.content\.0\.type: expected a block/],
    [{ system: 5 }, /^system: expected a string or a list of text blocks$/],
    [{ system: [image] }, /^system\.0\.type: expected "text"$/],
    [{ temperature: 1.5 }, /^temperature: expected a number from 0 to 1$/],
    [{ top_p: -0.5 }, /^top_p: /],
    [{ top_k: -2 }, /^top_k: /],
    [{ top_k: 1.5 }, /^top_k: /],
    [{ stream: 'yes' }, /^stream: expected true or false$/],
    [{ stop_sequences: 'END' }, /^stop_sequences: expected a list/],
    [{ stop_sequences: [''] }, /^stop_sequences\.0: expected a non-empty string$/],
    [{ tools: {} }, /^tools: expected a list/],
    [{ tools: [{ name: 'f' }] }, /^tools\.0\.input_schema: expected a JSON schema object$/],
    [{ tools: [{ input_schema: {} }] }, /^tools\.0\.name: expected 1 to 128 letters/],
    [{ tools: [{ ...weather, name: 'a b' }] }, /^tools\.0\.name: /],
    [{ tools: [weather, weather] }, /^tools\.1\.name: two tools have this name$/],
    [{ tools: [{ ...weather, input_schema: [] }] }, /^tools\.0\.input_schema: /],
    [{ tool_choice: 'auto' }, /^tool_choice: expected an object$/],
    [{ tool_choice: { type: 'required' } }, /^tool_choice\.type: expected one of "auto", "any", "tool", "none"$/],
    [{ tool_choice: { type: 'any' } }, /^tool_choice\.type: "any" needs tools$/],
    [{ tools: [weather], tool_choice: { type: 'tool' } }, /^tool_choice\.name: /],
    [
      { tools: [weather], tool_choice: { type: 'tool', name: 'x' } },
      /^tool_choice\.name: names a tool that was not sent$/,
    ],
    [{ thinking: { type: 'on' } }, /^thinking\.type: expected one of "enabled", "disabled", "adaptive"/],
    [{ thinking: { type: 'enabled', budget_tokens: 0 } }, /^thinking\.budget_tokens: /],
    [{ output_config: { effort: 'huge' } }, /^output_config\.effort: expected one of "low"/],
    [{ output_config: { format: { type: 'json_schema' } } }, /^output_config\.format\.schema: /],
    [{ output_format: { type: 'text' } }, /^output_format\.type: expected "json_schema"$/],
  ];
  for (const [fields, message] of cases) assert.match(refusalOf(fields), message, JSON.stringify(fields));
});

test('tokens are counted of the prompt that a call has', () => {
  const fields = { tools: [weather], system: 'Be brief.', thinking: { type: 'enabled', budget_tokens: 9 } };
  const counted = readCountRequest({ ...hello, max_tokens: undefined, ...fields }, signatures);
  assert.deepEqual(counted, { model: 'chat', prompt: read(fields).prompt });
});
