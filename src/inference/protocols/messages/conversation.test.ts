import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#kernel';
import type { MessageParam, TextBlocks } from './content.schema.ts';
import { readConversation } from './conversation.ts';
import { signatures } from './messages.fixture.ts';

const read = (messages: MessageParam[], system: TextBlocks | null = null) =>
  readConversation({ messages, system }, signatures);
const user = (content: Extract<MessageParam, { role: 'user' }>['content']) => ({ role: 'user' as const, content });
const model = (content: Extract<MessageParam, { role: 'assistant' }>['content']) => ({
  role: 'assistant' as const,
  content,
});
const use = (id: string) => ({ type: 'tool_use' as const, id, name: 'f', input: { id } });
const result = (tool_use_id: string, more: object = {}) => ({ type: 'tool_result' as const, tool_use_id, ...more });
const text = (words: string) => ({ type: 'text' as const, text: words });
const call = (id: string) => ({ id, name: 'f', arguments: `{"id":"${id}"}` });
const answer = (content: string, more: object = {}) => ({
  role: 'assistant',
  content,
  reasoning: null,
  toolCalls: [],
  ...more,
});
const tool = (toolCallId: string, content: string) => ({ role: 'tool', content, toolCallId });

test('instructions come first, without what only says which client asks', () => {
  const hello = { role: 'user', content: 'Hi' };
  assert.deepEqual(read([user('Hi')], 'Be brief.'), [{ role: 'system', content: 'Be brief.' }, hello]);
  const blocks = [text('x-anthropic-billing-header: cc_version=2; cch=1;'), text('Be brief.'), text('Be kind.')];
  assert.deepEqual(read([user('Hi')], blocks), [{ role: 'system', content: 'Be brief.\nBe kind.' }, hello]);
  assert.deepEqual(read([user('Hi')], ''), [hello]);
  assert.deepEqual(read([user('Hi')], []), [hello]);
});

test('instructions within a conversation stay where they are', () => {
  assert.deepEqual(read([user('a'), model('b'), { role: 'system', content: [text('Now in French.')] }, user('c')]), [
    { role: 'user', content: 'a' },
    answer('b'),
    { role: 'system', content: 'Now in French.' },
    { role: 'user', content: 'c' },
  ]);
});

test('results stand directly behind their calls, in whatever order they come, and what else is said follows', () => {
  const messages = read([
    user('a'),
    model([text('I '), text('look.'), use('1'), use('2')]),
    { role: 'system', content: 'Hurry.' },
    user([text('Well?'), result('2', { content: 'two' })]),
    user([result('1', { content: [text('one'), text('uno')] }), text('Go on.')]),
  ]);
  assert.deepEqual(messages, [
    { role: 'user', content: 'a' },
    answer('I look.', { toolCalls: [call('1'), call('2')] }),
    tool('2', 'two'),
    tool('1', 'one\nuno'),
    { role: 'system', content: 'Hurry.' },
    { role: 'user', content: 'Well?' },
    { role: 'user', content: 'Go on.' },
  ]);
});

test('a result may be empty, a failure, text of several kinds', () => {
  const contents: [object, string][] = [
    [{}, ''],
    [{ content: null }, ''],
    [{ content: '' }, ''],
    [{ content: [] }, ''],
    [{ content: 'no', is_error: true }, 'Error: no'],
    [{ is_error: true }, 'Error'],
    [{ content: 'yes', is_error: false }, 'yes'],
    [{ content: [{ type: 'search_result', source: 's', title: 't', content: [text('x')] }] }, 't\ns\nx'],
    [{ content: [{ type: 'document', title: 't', source: { type: 'text', data: 'x' } }] }, 't\nx'],
    [{ content: [{ type: 'document', source: { type: 'content', content: [text('x')] } }] }, 'x'],
    [{ content: [{ type: 'tool_reference', tool_name: 'g' }] }, 'g'],
  ];
  for (const [content, told] of contents) {
    const messages = read([user('a'), model([use('1')]), user([result('1', content)])]);
    assert.deepEqual(messages.at(-1), tool('1', told), JSON.stringify(content));
  }
});

test('thoughts that were signed here come back, and others do not', () => {
  const thought = (thinking: string, signature: string) => ({ type: 'thinking' as const, thinking, signature });
  const messages = [
    user('a'),
    model([
      thought('Mine.', signatures.sign('Mine.')),
      thought('', signatures.seal(' Hidden.')),
      thought('Forged.', signatures.sign('Other.')),
      { type: 'thinking', thinking: 'Unsigned.' },
      { type: 'redacted_thinking' },
      text('b'),
    ]),
    user('c'),
  ];
  assert.deepEqual(read(messages)[1], answer('b', { reasoning: 'Mine. Hidden.' }));
});

test('what tools of a server said is left out, and an answer of which nothing is left', () => {
  const messages = read([
    user('a'),
    model([{ type: 'server_tool_use' }, { type: 'web_search_tool_result' }]),
    model([{ type: 'compaction', content: 'Before: much.' }, { type: 'mcp_tool_use' }]),
    user('b'),
    model(''),
  ]);
  assert.deepEqual(messages, [{ role: 'user', content: 'a' }, answer('Before: much.'), { role: 'user', content: 'b' }]);
});

test('calls and results that do not belong together are refused at their place', () => {
  const refusalOf = (...messages: MessageParam[]) => {
    try {
      return JSON.stringify(read(messages));
    } catch (error) {
      assert.ok(error instanceof Fault && error.row.status === 400, String(error));
      return error.message;
    }
  };
  const unanswered = /^messages\.1: `tool_use` ids were found without `tool_result` blocks immediately after: 2\. /;
  const ask = [user('a'), model([use('1'), use('2')])] as const;
  assert.match(refusalOf(...ask, user([result('1')])), unanswered);
  assert.match(refusalOf(...ask, user([result('1')]), model('b'), user('c')), unanswered);
  assert.match(
    refusalOf(user('a'), model([use('2')]), user('b'), model([use('1')]), user([result('1'), result('2')])),
    unanswered,
  );
  assert.match(refusalOf(user([result('9')])), /^messages\.0\.content\.0: unexpected `tool_use_id` found .*: 9\. /);
  assert.match(
    refusalOf(...ask, user([result('1'), result('2')]), model('b'), user([text('c'), result('1')])),
    /^messages\.4\.content\.1: unexpected/,
  );
  assert.match(
    refusalOf(...ask, user([result('1'), result('1')])),
    /^messages\.2\.content\.1: each `tool_use` must have a single result/,
  );
  assert.match(refusalOf(user('a'), model([use('1'), use('1')])), /^messages\.1: two `tool_use` blocks have the id 1$/);
});

test('an answer cannot be begun by the caller', () => {
  assert.throws(
    () => read([user('a'), model('The answer is (')]),
    /^Fault: messages\.1\.role: .*must end with a user message\.$/,
  );
});
