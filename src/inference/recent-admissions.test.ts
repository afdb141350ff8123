import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Admitted } from './admitted.ts';
import { createRecentAdmissions, isSame, nameOf } from './recent-admissions.ts';

const admitted = (): Admitted => ({
  key: { id: 'key_1', name: 'one' },
  accountId: 'acc_1',
  project: { id: 'prj_1', kind: 'text', ownerSlug: 'ada' },
  isOwner: false,
  alias: {
    ...{ id: 'hm_1', alias: 'chat', state: 'active', visibility: 'shared', targetType: 'base_model', targetId: 'tiny' },
    ...{ baseModelId: 'tiny', revision: 1, rateMicroPerMinute: 1_000n, priceVersion: '1' },
  },
  share: { id: 'shr_1' },
  isSaved: false,
  limited: null,
});

const clockAt = (time: { ms: number }) => ({ nowMs: () => 0, monotonicMs: () => time.ms });

test('two admissions are the same only when every field of them is', () => {
  assert.ok(isSame(admitted(), admitted()));
  let fields = 0;
  const changeEach = (part: object, whole: Admitted) => {
    // as: every field is changed in turn, whatever it is called.
    const record = part as Record<string, unknown>;
    for (const [name, value] of Object.entries(record)) {
      if (typeof value === 'object' && value !== null) changeEach(value, whole);
      for (const other of [undefined, null, 'other', {}]) {
        if (other === value) continue;
        record[name] = other;
        assert.ok(!isSame(admitted(), whole), `${name} became ${JSON.stringify(other)}`);
        assert.ok(!isSame(whole, admitted()), `${name} was ${JSON.stringify(other)}`);
      }
      record[name] = value;
      fields += 1;
    }
    record['added'] = 1;
    assert.ok(!isSame(admitted(), whole) && !isSame(whole, admitted()), 'a field more');
    delete record['added'];
  };
  const whole = admitted();
  changeEach(whole, whole);
  assert.equal(fields, 24);
  assert.ok(isSame(admitted(), whole));
});

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
  const [before, answer] = [admitted(), admitted()];
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
  for (let n = 0; n < 10_000; n++) recent.note(`call ${n}`, admitted());
  const known = Array.from({ length: 10_000 }, (_, n) => n).filter((n) => recent.find(`call ${n}`) !== null);
  assert.deepEqual([known.length, known[0], known.at(-1)], [4_096, 10_000 - 4_096, 9_999]);
  recent.note('x'.repeat(1_000), admitted());
  assert.equal(recent.find('x'.repeat(1_000)), null);
});
