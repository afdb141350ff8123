import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileDatabase } from '#test/file-database.ts';
import type { Sql } from './database.ts';
import { createLookout, type Look } from './lookout.ts';

const db = fileDatabase();

/** Looks at a database that counts what it is asked. */
function setUp() {
  const texts: string[] = [];
  const sql: Sql = {
    query(text, values, options = {}) {
      texts.push(text);
      // However slow this machine is, the answer is waited for.
      return db().query(text, values, { ...options, timeoutMs: 60_000 });
    },
  };
  const lookout = createLookout({ sql });
  const troubles: unknown[] = [];
  /** A look, and the answers that it gets; waits for the next one. */
  function look<Answer>(question: Look<Answer>['question'], options: Partial<Look<Answer>> = {}) {
    const answers: (Answer | undefined)[] = [];
    let told = Promise.withResolvers<void>();
    const work = async (answer: Answer | undefined) => {
      answers.push(answer);
      told.resolve();
      told = Promise.withResolvers();
    };
    const onTrouble = (error: unknown) => troubles.push(error);
    const rounds = lookout.look<Answer>({ question, pauseMs: 20, work, onTrouble, ...options });
    return { ...rounds, answers, next: () => told.promise };
  }
  return { look, texts, troubles };
}

test('the questions of all are asked with one statement, and each has its own answer', async () => {
  const { look, texts } = setUp();
  const one = look<boolean>((place) => `exists (select where ${place('a')} = 'a')`);
  const other = look<string[]>(
    (place) => `select jsonb_build_array(${place('b')}::text, ${place(['c', 'd'])}::text[])`,
  );
  const none = look<string | null>(() => 'select text from (values (1)) as no (text) where false');
  for (const { start } of [one, other, none]) start();
  await Promise.all([one.next(), other.next(), none.next()]);
  await Promise.all([one.next(), other.next(), none.next()]);
  const asked = [...texts];
  const most = Math.max(...[one, other, none].map(({ answers }) => answers.length));
  for (const { stop } of [one, other, none]) await stop();
  assert.deepEqual(one.answers.slice(0, 2), [true, true]);
  assert.deepEqual(other.answers[0], ['b', ['c', 'd']]);
  assert.deepEqual(none.answers[0], null);
  assert.equal(new Set(asked).size, 1);
  assert.ok(asked.length <= most + 1, `${asked.length} statements for ${most} rounds`);
});

test('a question that cannot be answered leaves the others to look on their own, until it is gone', async () => {
  const { look } = setUp();
  const good = look<boolean>(() => 'true');
  const bad = look<boolean>(() => 'exists (select from no_such_table)');
  for (const { start } of [good, bad]) start();
  await good.next();
  assert.deepEqual([good.answers, bad.answers], [[undefined], [undefined]]);
  await bad.stop();
  while (good.answers.at(-1) !== true) await good.next();
  await good.stop();
});

test('where somebody locks the table of one question the others look on their own, and nothing waits for it afterwards', async () => {
  const { look } = setUp();
  const good = look<boolean>(() => 'true');
  const held = look<boolean>(() => 'exists (select from locked)');
  await db().query('create table locked ()');
  await db().transaction(async (tx) => {
    await tx.query('lock table locked in access exclusive mode');
    for (const { start } of [good, held]) start();
    for (let rounds = 0; rounds < 2; rounds++) await good.next();
    assert.deepEqual(
      [good.answers.slice(0, 2), held.answers.slice(0, 2)],
      [Array(2).fill(undefined), Array(2).fill(undefined)],
    );
    for (const { stop } of [good, held]) await stop();
    const waiting = await db().query(
      `select query from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    assert.deepEqual(waiting, []);
  });
});

test('a round that fails is told and the next one comes; one that takes long keeps no other from its turn', async () => {
  const { look, troubles } = setUp();
  const trouble = new Error('It failed.');
  const fails = look<boolean>(() => 'true', { work: () => Promise.reject(trouble) });
  const end = Promise.withResolvers<void>();
  let begun = 0;
  const slow = look<boolean>(() => 'true', {
    work: () => {
      begun += 1;
      return end.promise;
    },
  });
  const quick = look<boolean>(() => 'true');
  for (const { start } of [fails, slow, quick]) start();
  for (let rounds = 0; rounds < 4; rounds++) await quick.next();
  assert.equal(begun, 1);
  assert.ok(troubles.length > 1 && troubles.every((each) => each === trouble));
  end.resolve();
  for (const { stop } of [fails, slow, quick]) await stop();
});

test('a common look that fails is told once, and so is the next one that works', async () => {
  const lines: string[] = [];
  const write = (_: object, message: string) => void lines.push(message);
  let isAway = true;
  const sql: Sql = {
    async query() {
      if (isAway) throw new Error('The database is away.');
      return [];
    },
  };
  const lookout = createLookout({ sql, log: { info: write, warn: write } });
  let told = Promise.withResolvers<void>();
  const { start, stop } = lookout.look<boolean>({
    ...{ question: () => 'true', pauseMs: 5 },
    async work() {
      told.resolve();
      told = Promise.withResolvers();
    },
    onTrouble: () => {},
  });
  start();
  for (let rounds = 0; rounds < 3; rounds++) await told.promise;
  isAway = false;
  for (let rounds = 0; rounds < 3; rounds++) await told.promise;
  await stop();
  assert.deepEqual(lines, ['no common look: each looks on its own', 'there is a common look again']);
});

test('a look with a longer pause comes with others of them, and one that begins at once has no answer yet', async () => {
  const { look } = setUp();
  const rare = look<boolean>(() => 'true', { pauseMs: 3_600_000, first: 'at once' });
  const often = look<boolean>(() => 'true');
  for (const { start } of [rare, often]) start();
  assert.deepEqual(rare.answers, [undefined]);
  for (let rounds = 0; rounds < 4; rounds++) await often.next();
  assert.deepEqual(rare.answers, [undefined]);
  for (const { stop } of [rare, often]) await stop();
});

test('who stops a look waits for its round, and no other begins, with others or alone', async () => {
  const { look } = setUp();
  const end = Promise.withResolvers<void>();
  const events: string[] = [];
  const slow = look<boolean>(() => 'true', {
    first: 'at once',
    async work() {
      events.push('round');
      await end.promise;
    },
  });
  slow.start();
  slow.start();
  const stopped = slow.stop().then(() => events.push('stopped'));
  await sleep(50);
  assert.deepEqual(events, ['round']);
  end.resolve();
  await stopped;
  await sleep(50);
  assert.deepEqual(events, ['round', 'stopped']);
});
