import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Seen } from '../chaos/clients.ts';
import { longestPauses } from './pauses.ts';
import { type Findings, promisesBroken } from './promises.ts';

/** What judges the long run: a judge that finds nothing wrong with anything would make it worthless. */
const clean: Findings = {
  books: {
    successes: 9,
    failures: 2,
    unknown: 1,
    unknownPaid: 1,
    lost: 1,
    codes: {},
    unpaid: 0,
    wronglyPaid: 0,
    double: 0,
    unseen: 3,
    rejectedKeys: 0,
    findings: [],
  },
  outcomes: { asked: 2, charged: 1, wrong: [] },
  remote: { successes: 4 },
  pauses: [],
  steadfast: { asked: 5, answered: 5, repeats: 2, charges: 5 },
  keys: { deleted: 3, checks: 9, revived: [] },
  limit: { allowed: 20, passed: 20, refused: 40, other: 0, stillRunning: 0 },
  jobs: { asked: 4, succeeded: 4, broken: [], findings: [] },
};

test('a run without a fault is clean, and each promise that is broken is told', () => {
  assert.deepEqual(promisesBroken(clean), []);
  const { books, steadfast, jobs, limit, keys } = clean;
  const cases: [Partial<Findings>, RegExp][] = [
    [{ books: { ...books, unpaid: 1 } }, /1 successes were not charged/],
    [{ books: { ...books, wronglyPaid: 2 } }, /2 failures were charged/],
    [{ books: { ...books, double: 1 } }, /charged twice/],
    [{ books: { ...books, rejectedKeys: 1 } }, /good key/],
    [{ remote: { successes: 0 } }, /remote engine/],
    [{ outcomes: { asked: 1, charged: 1, wrong: ['req_1 is told as 404'] } }, /told wrongly: req_1/],
    [{ steadfast: { ...steadfast, answered: 4 } }, /1 calls were never answered/],
    [{ steadfast: { ...steadfast, charges: 6 } }, /5 answers have 6 charges/],
    [{ keys: { ...keys, revived: ['replica-1 at once'] } }, /replica-1 at once/],
    [{ limit: { ...limit, passed: 21 } }, /21 calls passed a limit of 20/],
    [{ jobs: { ...jobs, succeeded: 3, broken: ['job_1: no'] } }, /job_1: no/],
  ];
  for (const [change, told] of cases) assert.match(promisesBroken({ ...clean, ...change }).join('\n'), told);
});

test('the longest pause is measured between successes, from the fault to its end, and apart for the remote engine', () => {
  const at = (endedMs: number, { isRemote = false, result = 'success' }: Partial<Seen> = {}): Seen => ({
    requestId: null,
    status: 200,
    code: null,
    protocol: 'messages',
    endedMs,
    isRemote,
    result,
  });
  const seen = [at(90), at(150, { isRemote: true }), at(130), at(160, { result: 'failure' }), at(190)];
  const struck = [{ what: 'killed', fromMs: 100, toMs: 200 }];
  assert.deepEqual(longestPauses(struck, seen), [{ what: 'killed', anyMs: 40, remoteMs: 50 }]);
  assert.deepEqual(longestPauses(struck, []), [{ what: 'killed', anyMs: 100, remoteMs: 100 }]);
});
