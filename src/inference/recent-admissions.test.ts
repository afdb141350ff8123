import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRecentAdmissions, type KnownAdmission, nameOf } from './recent-admissions.ts';

const known = (): KnownAdmission => ({
  admitted: {
    ...{ key: { id: 'key_1', name: 'one' }, accountId: 'acc_1', isOwner: true, alias: null, share: null },
    ...{ project: { id: 'prj_1', kind: 'text', ownerSlug: 'ada' }, isSaved: false, limited: null },
  },
  fingerprint: 1n,
});

const clockAt = (time: { ms: number }) => ({ nowMs: () => 0, monotonicMs: () => time.ms });

test('questions that differ in anything have different names', () => {
  const question = { digest: 'd1', ownerSlug: 'ada', projectSlug: 'chat', model: 'chat' };
  const others = [
    { ...question, digest: 'd2' },
    { ...question, ownerSlug: 'eve' },
    { ...question, projectSlug: 'other' },
    { ...question, model: 'Chat' },
    { ...question, model: '' },
    { ...question, model: null },
    { ...question, model: 'null' },
  ];
  assert.equal(new Set([question, ...others].map(nameOf)).size, 1 + others.length);
});

test('what was admitted last is known for a minute after it was given, and not once it is forgotten', () => {
  const time = { ms: 0 };
  const recent = createRecentAdmissions(clockAt(time));
  const [before, answer] = [known(), known()];
  recent.note('a', before);
  time.ms = 59_999;
  assert.equal(recent.find('a'), before);
  recent.note('a', answer);
  time.ms = 119_998;
  assert.equal(recent.find('a'), answer);
  time.ms = 119_999;
  assert.equal(recent.find('a'), null);
  for (const name of ['a', 'b', 'c']) recent.note(name, answer);
  recent.forget('a');
  assert.deepEqual([recent.find('a'), recent.find('b')], [null, answer]);
  recent.forgetAll();
  assert.deepEqual([recent.find('b'), recent.find('c')], [null, null]);
});

test('however many call, and whatever they name, a bounded number is known', () => {
  const recent = createRecentAdmissions(clockAt({ ms: 0 }));
  for (let n = 0; n < 10_000; n++) recent.note(`call ${n}`, known());
  const left = Array.from({ length: 10_000 }, (_, n) => n).filter((n) => recent.find(`call ${n}`) !== null);
  assert.deepEqual([left.length, left[0], left.at(-1)], [4_096, 10_000 - 4_096, 9_999]);
  recent.note('x'.repeat(1_000), known());
  assert.equal(recent.find('x'.repeat(1_000)), null);
});
