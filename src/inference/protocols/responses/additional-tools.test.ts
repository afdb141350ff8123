import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readResponsesRequest } from './request.ts';

const seal = { seal: (text: string) => text, open: () => null };
const read = (input: unknown[], more: object = {}) => readResponsesRequest({ model: 'm', input, ...more }, seal);
const user = { role: 'user', content: 'Hi' };
const fn = (name: string, more: object = {}) => ({ type: 'function', name, ...more });
const additional = (...tools: unknown[]) => ({ type: 'additional_tools', id: 'at_1', role: 'developer', tools });
const names = (input: unknown[], more: object = {}) => read(input, more).prompt.tools.map(({ name }) => name);

test('tools among the input are used like those of the request, behind them', () => {
  const exec = { type: 'custom', name: 'exec', format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' } };
  const groups = [
    { type: 'namespace', name: 'functions', description: '', tools: [exec, fn('wait')] },
    { type: 'namespace', name: 'clock', tools: [fn('sleep', { parameters: { type: 'object' } })] },
  ];
  const request = read([additional(...groups), user, additional(fn('more'))], { tools: [fn('first')] });
  assert.deepEqual(
    request.prompt.tools.map(({ name }) => name),
    ['first', 'functions__exec', 'functions__wait', 'clock__sleep', 'more'],
  );
  assert.deepEqual(request.prompt.messages, [{ role: 'user', content: 'Hi' }]);
  assert.equal(request.input.tools.shown.length, 4);
  const forced = read([additional(...groups), user], { tool_choice: 'required' });
  assert.deepEqual(forced.prompt.toolChoice, { mode: 'required' });
});

test('what is wrong with tools among the input refuses nothing', () => {
  const odd = [
    null,
    7,
    'x',
    [],
    {},
    fn(''),
    { type: 'function' },
    { type: 'web_search' },
    { type: 'namespace', name: 'n' },
  ];
  assert.deepEqual(names([additional(...odd, fn('a', { parameters: 'no', description: 7 })), user]), ['a']);
  assert.deepEqual(names([additional(fn('a'), fn('a')), user], { tools: [fn('a')] }), ['a']);
  for (const tools of [undefined, null, 'no', {}])
    assert.deepEqual(names([{ type: 'additional_tools', tools }, user]), []);
});
