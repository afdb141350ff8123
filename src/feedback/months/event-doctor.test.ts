import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId } from '#kernel';
import { createReporter } from '../events/report.ts';
import { aNewEvent, type FeedbackServer, startFeedback } from '../feedback.fixture.ts';
import { checkEvents } from './event-doctor.store.ts';

let server: FeedbackServer;

before(async () => {
  server = await startFeedback();
});

after(() => server?.stop());

const eventOf = (datasetId: string, name: string) => aNewEvent(datasetId, { external_id: name });

test('the doctor finds events that are counted wrongly, that could be reported twice, or that are of no month', async () => {
  const { database } = server;
  const datasetId = newId('ds');
  const reporter = createReporter({ database, minStrength: 0.5 });
  for (const name of ['one', 'two', 'three']) await reporter.report([eventOf(datasetId, name)]);
  assert.deepEqual(await checkEvents(database), []);

  const of = (message: string) => [{ datasetId, message }];
  await database.query('insert into retrieval_event_counts select $1, state, 1 from retrieval_events limit 1', [
    datasetId,
  ]);
  const [wrong, ...more] = await checkEvents(database);
  assert.equal(more.length, 0);
  assert.match(wrong?.message ?? '', /^4 are counted as (pending|needs_judgment), there are 3$/);
  await database.query('insert into retrieval_event_counts select $1, state, -1 from retrieval_events limit 1', [
    datasetId,
  ]);

  await database.query(`update retrieval_event_names set event_id = 'rev_other' where external_id = 'two'`);
  assert.deepEqual(await checkEvents(database), of('1 could be reported twice: their external ids are not claimed'));
  await database.query('delete from retrieval_events');
  assert.deepEqual(await checkEvents(database), []);

  const later = { ...eventOf(datasetId, 'later'), id: newId('rev', Date.UTC(2_100, 0)) };
  await reporter.report([later]);
  assert.deepEqual(await checkEvents(database), [
    { datasetId: null, message: '1 are of no month. A server makes it within ten minutes.' },
  ]);
});
