import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChatMessage } from '#engine';
import { fc } from '#test/properties.ts';
import { withoutOldestTurns } from './oldest-turns.ts';

const system = (content: string): ChatMessage => ({ role: 'system', content });
const user = (content: string): ChatMessage => ({ role: 'user', content });
const says = (content: string, ...calls: string[]): ChatMessage => ({
  role: 'assistant',
  content,
  reasoning: null,
  toolCalls: calls.map((id) => ({ id, name: 'read', arguments: '{}' })),
});
const result = (toolCallId: string): ChatMessage => ({ role: 'tool', content: `result of ${toolCallId}`, toolCallId });

/** What is left after each step, until nothing can go. */
function steps(messages: ChatMessage[]): ChatMessage[][] {
  const all: ChatMessage[][] = [];
  for (let left = withoutOldestTurns(messages); left !== null; left = withoutOldestTurns(left)) {
    all.push(left);
    assert.ok(all.length <= messages.length, 'it ends');
  }
  return all;
}

/** Results whose call is not in front of them. */
function orphanResults(messages: readonly ChatMessage[]): ChatMessage[] {
  const called = new Set<string>();
  return messages.filter((message) => {
    if (message.role === 'assistant') for (const { id } of message.toolCalls) called.add(id);
    return message.role === 'tool' && !called.has(message.toolCallId);
  });
}

/** Calls that are answered nowhere behind them. */
function openCalls(messages: readonly ChatMessage[]): string[] {
  return messages.flatMap((message, index) => {
    if (message.role !== 'assistant') return [];
    const behind = messages.slice(index + 1);
    return message.toolCalls
      .map(({ id }) => id)
      .filter((id) => !behind.some((later) => later.role === 'tool' && later.toolCallId === id));
  });
}

test('the oldest turn goes with all that answered it, what the system says and the last turn stay', () => {
  const [rules, note] = [system('rules'), system('note')];
  const first = [user('one'), says('', 'a'), result('a'), says('done')];
  const second = [user('two'), note, says('yes')];
  const last = [user('three'), says('', 'b'), result('b')];
  assert.deepEqual(steps([rules, ...first, ...second, ...last]), [
    [rules, ...second, ...last],
    [rules, note, ...last],
  ]);
  assert.equal(withoutOldestTurns([rules, user('one')]), null);
  assert.equal(withoutOldestTurns([rules, user('one'), says('yes'), note]), null);
  assert.equal(withoutOldestTurns([rules]), null);
  assert.equal(withoutOldestTurns([]), null);
});

test('what was said before the first message of the user is the oldest', () => {
  const greeting = [says('Welcome.'), says('', 'a'), result('a')];
  assert.deepEqual(steps([system('rules'), ...greeting, user('one'), user('two')]), [
    [system('rules'), user('one'), user('two')],
    [system('rules'), user('two')],
  ]);
});

test('of one long turn the oldest answers go with their results, never its question and its last answer', () => {
  const head = [system('rules'), user('Fix it.')];
  const groups = Array.from({ length: 300 }, (_, at) =>
    at % 3 === 0
      ? [says('two at once', `a${at}`, `b${at}`), result(`b${at}`), result(`a${at}`)]
      : [says('', `a${at}`), result(`a${at}`)],
  );
  const all = steps([user('before'), says('ok'), ...head, ...groups.flat()]);
  assert.deepEqual(all[0], [...head, ...groups.flat()]);
  assert.equal(all.length, 300);
  assert.deepEqual(all[150], [...head, ...groups.slice(150).flat()]);
  assert.deepEqual(all.at(-1), [...head, ...groups.slice(-1).flat()]);
});

test('ids that are used again belong to the latest call, and a result behind another message goes with its call', () => {
  const again = [user('one'), says('', 'call_0'), result('call_0'), user('two'), says('', 'call_0'), result('call_0')];
  assert.deepEqual(steps(again), [again.slice(3)]);
  const apart = [says('', 'a'), says('', 'b'), result('b'), result('a')];
  const work = [user('one'), says('', 'c'), result('c'), ...apart];
  assert.deepEqual(steps(work), [[user('one'), ...apart]], 'calls that are made at once, each in a message of its own');
  const crossing = [
    user('one'),
    says('', 'a', 'b'),
    result('a'),
    user('wait'),
    result('b'),
    says('', 'c'),
    result('c'),
  ];
  assert.deepEqual(steps(crossing), [
    [user('one'), user('wait'), says('', 'c'), result('c')],
    [user('wait'), says('', 'c'), result('c')],
  ]);
});

/** A conversation as clients send it: answered calls in any order, some left open, system messages anywhere, ids used again. */
const conversation = fc
  .array(
    fc.record({
      kind: fc.constantFrom('user', 'system', 'says', 'calls', 'open', 'late'),
      calls: fc.integer({ min: 1, max: 3 }),
      reuses: fc.boolean(),
    }),
    { maxLength: 24 },
  )
  .map((parts) => {
    const messages: ChatMessage[] = [];
    let late: ChatMessage[] = [];
    for (const [at, { kind, calls, reuses }] of parts.entries()) {
      const ids = Array.from({ length: calls }, (_, n) =>
        reuses && kind === 'calls' ? `call_${n}` : `call_${at}_${n}`,
      );
      if (kind === 'user') messages.push(user(`question ${at}`));
      if (kind === 'system') messages.push(system(`note ${at}`));
      if (kind === 'says') messages.push(says(`answer ${at}`));
      if (kind === 'calls') messages.push(says('', ...ids), ...ids.map(result).toReversed());
      if (kind === 'open') messages.push(says('', ...ids));
      if (kind === 'late') {
        messages.push(says('', ...ids), ...late);
        late = ids.map(result);
      } else if (at % 4 === 0) messages.push(...late.splice(0));
    }
    return [...messages, ...late];
  });

test('whatever goes, the rest keeps its order, calls keep their results, and the system and the last question stay', () => {
  fc.assert(
    fc.property(conversation, (messages) => {
      const [orphansBefore, openBefore] = [orphanResults(messages), openCalls(messages)];
      const question = messages.findLast(({ role }) => role === 'user');
      let before = messages;
      for (const left of steps(messages)) {
        assert.ok(left.length < before.length, 'something goes');
        let from = 0;
        for (const message of left) {
          from = messages.indexOf(message, from) + 1;
          assert.ok(from > 0, 'nothing is new or in another place');
        }
        assert.deepEqual(
          left.filter(({ role }) => role === 'system'),
          messages.filter(({ role }) => role === 'system'),
        );
        assert.ok(question === undefined || left.includes(question));
        for (const orphan of orphanResults(left))
          assert.ok(orphansBefore.includes(orphan), 'no result without its call');
        for (const id of openCalls(left)) assert.ok(openBefore.includes(id), 'no call without its result');
        assert.equal(
          left.at(-1)?.role === 'system' ? null : left.at(-1),
          messages.at(-1)?.role === 'system' ? null : messages.at(-1),
        );
        before = left;
      }
    }),
    { numRuns: 2000 },
  );
});
