import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readBody } from '#http';
import { responsesRequestSchema } from './request.schema.ts';
import { readToolChoice } from './tool-choice.ts';
import { nameForModel, readTools, toolCalled } from './tools.ts';

function read(tools: unknown[], choice: unknown = 'auto') {
  const body = readBody(responsesRequestSchema, { model: 'm', input: 'x', tools, tool_choice: choice });
  const used = readTools(body.tools ?? []);
  return { used, ...readToolChoice(body.tool_choice ?? 'auto', body.tools ?? [], used) };
}

const names = (tools: unknown[]) => read(tools).used.list.map(({ definition }) => definition.name);
const fn = (name: string, more: object = {}) => ({ type: 'function', name, ...more });
const parameters = { type: 'object', properties: { city: { type: 'string' } } };

test('functions are used as they were sent, and shown so', () => {
  const { used } = read([fn('a', { description: 'Does.', parameters, strict: true }), fn('b', { strict: null })]);
  assert.deepEqual(
    used.list.map(({ definition }) => definition),
    [
      { name: 'a', description: 'Does.', parameters, strict: true },
      { name: 'b', description: null, parameters: null },
    ],
  );
  assert.deepEqual(used.shown, [
    { type: 'function', name: 'a', description: 'Does.', parameters, strict: true },
    { type: 'function', name: 'b', description: null, parameters: null, strict: false },
  ]);
});

test('a custom tool is a function with one text, told the grammar of the text', () => {
  const format = { type: 'grammar', syntax: 'lark', definition: 'start: "x"' };
  const tool = { type: 'custom', name: 'apply_patch', description: 'Patches.', format };
  const { used } = read([tool]);
  assert.deepEqual(used.list[0]?.definition, {
    name: 'apply_patch',
    description: 'Patches.\n\nThe input must follow this lark grammar:\nstart: "x"',
    parameters: {
      type: 'object',
      properties: { input: { type: 'string' } },
      required: ['input'],
      additionalProperties: false,
    },
    strict: true,
  });
  assert.deepEqual(used.shown, [tool]);
  assert.deepEqual(
    read([{ type: 'custom', name: 'x', format: { type: 'text' } }]).used.list[0]?.definition.description,
    null,
  );
});

test('tools of a namespace have its name in front for the model, and apart for the caller', () => {
  const group = {
    type: 'namespace',
    name: 'crm',
    description: 'CRM.',
    tools: [fn('find'), { type: 'custom', name: 'sql' }],
  };
  const { used } = read([group, { ...group, name: 'mcp__files__', tools: [fn('find')] }, fn('find')]);
  const known = used.list.map(({ definition }) => definition.name);
  assert.deepEqual(known, ['crm__find', 'crm__sql', 'mcp__files__find', 'find']);
  for (const [index, name] of known.entries()) {
    const { kind, name: own, namespace } = used.list[index] ?? assert.fail();
    const tool = toolCalled(used, name);
    assert.deepEqual([tool.kind, tool.name, tool.namespace], [kind, own, namespace]);
    assert.equal(nameForModel(used, { kind, name: own, namespace }), name);
  }
  const none = readTools([]);
  assert.equal(nameForModel(none, { kind: 'function', name: 'find', namespace: 'crm' }), 'crm__find');
  assert.deepEqual(toolCalled(none, 'x'), { kind: 'function', name: 'x', namespace: null });
});

test('names for the model are unique, short and of its letters, whatever the tools are called', () => {
  const long = 'n'.repeat(120);
  const known = names([
    fn('a__b'),
    { type: 'namespace', name: 'a', tools: [fn('b'), fn('b'), fn(`${long}1`), fn(`${long}2`), fn('ü.x')] },
    { type: 'custom', name: 'a__b' },
    { type: 'namespace', name: long, tools: [fn(long), fn(`${long}1`)] },
  ]);
  assert.equal(known.length, 9);
  assert.equal(new Set(known).size, known.length);
  for (const name of known) assert.match(name, /^[A-Za-z0-9_-]{1,128}$/);
});

test('what is no function is never refused, and not shown where it is not used', () => {
  const hosted = ['web_search', 'file_search', 'mcp', 'local_shell', 'code_interpreter', 'tool_search', 'new_one'];
  const odd = [
    ...hosted.map((type) => ({ type, name: 7, tools: 'x' })),
    ...[{ type: 'custom' }, { type: 'custom', name: 5 }, { type: 'custom', name: '', description: {} }],
    ...[{ type: 'namespace' }, { type: 'namespace', name: 'x', tools: 5 }, { type: 'namespace', name: 'x', tools: [] }],
    { type: 'namespace', name: 'x', tools: [null, 5, { type: 'web_search' }, { type: 'function' }] },
  ];
  for (const choice of ['auto', 'none', 'required', { type: 'web_search' }, { type: 'mcp', server_label: 'x' }])
    assert.deepEqual(read(odd, choice).used, { list: [], shown: [] });
  const lenient = { type: 'namespace', name: 'x', tools: [fn('ok', { description: 5, parameters: 'y', strict: 'z' })] };
  assert.deepEqual(read([lenient]).used.list[0]?.definition, { name: 'x__ok', description: null, parameters: null });
});

test('a choice forces what was sent, and restricts the tools to those that are allowed', () => {
  const tools = [
    ...[fn('a'), fn('b'), { type: 'custom', name: 'c' }, { type: 'web_search' }],
    { type: 'namespace', name: 'n', tools: [fn('d'), fn('a')] },
  ];
  const chosen = (choice: unknown) => {
    const { choice: mode, offered } = read(tools, choice);
    return [mode, offered.map(({ definition }) => definition.name)];
  };
  const all = ['a', 'b', 'c', 'n__d', 'n__a'];
  const named = (name: string) => [{ mode: 'named', name }, all];
  for (const mode of ['auto', 'none', 'required']) assert.deepEqual(chosen(mode), [{ mode }, all]);
  assert.deepEqual(chosen(fn('a')), named('a'));
  assert.deepEqual(chosen(fn('n.d')), named('n__d'));
  assert.deepEqual(chosen(fn('d')), named('n__d'));
  assert.deepEqual(chosen(fn('a', { namespace: 'n' })), named('n__a'));
  assert.deepEqual(chosen({ type: 'custom', name: 'c' }), named('c'));
  assert.deepEqual(chosen(fn('c')), named('c'));
  for (const type of ['web_search', 'file_search', 'mcp', 'shell'])
    assert.deepEqual(chosen({ type }), [{ mode: 'auto' }, all]);
  const allowed = (mode: string, some: object[]) => chosen({ type: 'allowed_tools', mode, tools: some });
  assert.deepEqual(allowed('required', [fn('b'), { type: 'custom', name: 'c' }]), [{ mode: 'required' }, ['b', 'c']]);
  assert.deepEqual(allowed('auto', [{ type: 'namespace', name: 'n' }]), [{ mode: 'auto' }, ['n__d', 'n__a']]);
  assert.deepEqual(allowed('required', [{ type: 'mcp', server_label: 'x' }]), [{ mode: 'auto' }, []]);
});
