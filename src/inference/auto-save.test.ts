import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '#db';
import type { Finished } from '#engine';
import { fault } from '#kernel';
import { createAutoSave } from './auto-save.ts';
import type { ModelCall } from './model-call.ts';

const sampling = {
  maxTokens: 8,
  temperature: 0,
  topP: 1,
  presencePenalty: 0,
  frequencyPenalty: 0,
  seed: null,
  stop: [],
};
const finished: Finished = {
  reason: 'stop',
  usage: { promptTokens: 1, completionTokens: 1, reasoningTokens: 0, cachedTokens: 0 },
  activeMs: 1,
};

/** As much of a call as is kept of it. */
function callOf(requestId: string, isSaved = true): ModelCall {
  return {
    request: { id: requestId },
    admitted: {
      isSaved,
      accountId: 'acc_1',
      key: { id: 'key_1', name: 'k' },
      project: { id: 'prj_1', kind: 'text', ownerSlug: 'ada' },
    },
    model: { requested: 'chat', revision: null, baseModel: { id: 'base' } },
  } as unknown as ModelCall;
}

function askedOf(content: string) {
  return {
    prompt: {
      messages: [{ role: 'user' as const, content }],
      tools: [],
      toolChoice: { mode: 'auto' as const },
      parallelToolCalls: true,
      responseFormat: { type: 'text' as const },
      reasoningEffort: null,
    },
    sampling,
  };
}

/** A database that answers as it is told, and notes which calls each statement carries. */
function scriptedSql(answer: (requestIds: string[], statement: number) => Promise<string[]>) {
  const statements: string[][] = [];
  const sql: Sql = {
    query: async <R>(_text: string, values: readonly unknown[] = []) => {
      // as: the first column of the statement.
      const requestIds = values[0] as string[];
      statements.push(requestIds);
      return (await answer(requestIds, statements.length)).map((request_id) => ({ request_id })) as R[];
    },
  };
  return { sql, statements };
}

const away = () => Promise.reject(fault('service_unavailable'));

function keep(autoSave: ReturnType<typeof createAutoSave>, requestId: string, content = 'hello') {
  const recording = autoSave.record(callOf(requestId), askedOf(content));
  recording.add({ type: 'content', text: 'hi' });
  recording.finish(finished);
}

test('what finishes while a statement runs leaves together in the next one, at most 64 calls', async () => {
  const gate = Promise.withResolvers<void>();
  const { sql, statements } = scriptedSql(async (ids, statement) => {
    if (statement === 1) await gate.promise;
    return ids;
  });
  const autoSave = createAutoSave({ sql });
  keep(autoSave, 'req_0');
  while (statements.length === 0) await nextTurn();
  for (let i = 1; i < 100; i++) keep(autoSave, `req_${i}`);
  gate.resolve();
  await autoSave.stop();
  assert.deepEqual(
    statements.map((ids) => ids.length),
    [1, 64, 35],
  );
  assert.deepEqual(
    statements.flat(),
    Array.from({ length: 100 }, (_, i) => `req_${i}`),
  );
  assert.deepEqual(autoSave.counts(), { stored: 100, skipped: 0, dropped: 0 });
});

test('a call that finishes just as the last statement ends is written, too', async () => {
  for (let steps = 0; steps < 20; steps++) {
    let later = Promise.resolve();
    const { sql } = scriptedSql(async (ids, statement) => {
      if (statement > 1) return ids;
      for (let step = 0; step < steps; step++) later = later.then(() => {});
      later = later.then(() => keep(autoSave, 'req_2'));
      return ids;
    });
    const autoSave = createAutoSave({ sql });
    keep(autoSave, 'req_1');
    await later;
    await autoSave.stop();
    assert.deepEqual(autoSave.counts(), { stored: 2, skipped: 0, dropped: 0 }, `${steps} steps later`);
  }
});

test('while the database is away calls wait for it, and are written once it is back', async () => {
  const { sql } = scriptedSql(async (ids, statement) => (statement <= 2 ? away() : ids));
  const autoSave = createAutoSave({ sql });
  keep(autoSave, 'req_1');
  keep(autoSave, 'req_2');
  for (let tries = 0; tries < 3_000 && autoSave.counts().stored < 2; tries++) await sleep(20);
  assert.deepEqual(autoSave.counts(), { stored: 2, skipped: 0, dropped: 0 });
});

test('what waits, and so a statement, has at most 32 million characters, and is given up while the database stays away', async () => {
  const told: string[] = [];
  const log = { warn: (_: object, message: string) => void told.push(message) };
  const { sql } = scriptedSql(away);
  const autoSave = createAutoSave({ sql, log, timing: { timeoutMs: 0, stopMs: 50 } });
  for (let i = 0; i < 40; i++) keep(autoSave, `req_${i}`, 'x'.repeat(1_000_000));
  const full = autoSave.counts().dropped;
  assert.ok(full >= 8 && full <= 10, `${full} of 40 MB were dropped`);
  await autoSave.stop();
  assert.deepEqual(autoSave.counts(), { stored: 0, skipped: 0, dropped: 40 });
  assert.ok(told.length > 0);
});

test('the end of the process does not wait long for a database that is away', async () => {
  const { sql } = scriptedSql(away);
  const autoSave = createAutoSave({ sql, timing: { timeoutMs: 60_000, stopMs: 50 } });
  keep(autoSave, 'req_1');
  const startMs = performance.now();
  await autoSave.stop();
  assert.ok(performance.now() - startMs < 30_000);
});

test('a call that the database refuses takes no other with it', async () => {
  const { sql } = scriptedSql(async (ids) => {
    if (ids.includes('req_5')) throw new Error('invalid input');
    return ids;
  });
  const autoSave = createAutoSave({ sql });
  for (let i = 0; i < 10; i++) keep(autoSave, `req_${i}`);
  await autoSave.stop();
  assert.deepEqual(autoSave.counts(), { stored: 9, skipped: 0, dropped: 1 });
});

test('calls of a project that was switched off meanwhile count as skipped', async () => {
  const { sql } = scriptedSql(async () => []);
  const autoSave = createAutoSave({ sql });
  keep(autoSave, 'req_1');
  await autoSave.stop();
  assert.deepEqual(autoSave.counts(), { stored: 0, skipped: 1, dropped: 0 });
});
