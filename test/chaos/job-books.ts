import assert from 'node:assert/strict';
import { doctor, type Finding } from '#billing';
import type { Database } from '#db';
import type { Person } from '../../src/training/training.fixture.ts';

export type JobAudit = {
  succeeded: number;
  /** What is wrong with jobs, logs and charges; must be empty. */
  broken: string[];
  findings: Finding[];
};

type Asked = { id: string; person: Person };

/** What became of jobs: all must have succeeded, be served, have a log without gaps and one exact charge. */
export async function judgeJobs(database: Database, asked: readonly Asked[]): Promise<JobAudit> {
  const broken = await brokenCharges(database, asked);
  let succeeded = 0;
  for (const { id, person } of asked) {
    try {
      await judgeJob(person, id);
      succeeded++;
    } catch (error) {
      broken.push(`${id}: ${error instanceof Error ? error.message : error}`);
    }
  }
  const held = await database.query('select request_id from calls where server_id is null');
  if (held.length > 0) broken.push(`${held.length} holds of jobs are left`);
  return { succeeded, broken, findings: await doctor(database) };
}

async function judgeJob(person: Person, id: string): Promise<void> {
  const job = await person.ok('GET', `${person.project}/training-jobs/${id}`);
  assert.equal(job.state, 'succeeded', JSON.stringify(job.error));
  assert.equal(job.attempt, 1);
  const lines = await logOf(person, id);
  const wrong = lines.findIndex(({ seq }, index) => seq !== index + 1);
  assert.equal(wrong, -1, `its log has a gap at line ${wrong + 1}`);
  const ends = lines.filter(({ message }) => message === 'The job has succeeded.');
  assert.equal(ends.length, 1, `its log says ${ends.length} times that it has succeeded`);
  const [path, body] = person.project.endsWith('chat')
    ? ['chat/openai/v1/chat/completions', { messages: [{ role: 'user', content: 'Hello!' }], max_tokens: 4 }]
    : ['search/openai/v1/embeddings', { input: 'old whale' }];
  const { status } = await person.ask('POST', `/api/projects/local/${path}`, { model: `training-job#${id}`, ...body });
  assert.equal(status, 200, 'it is not served');
}

async function logOf(person: Person, id: string): Promise<{ seq: number; message: string }[]> {
  const lines: { seq: number; message: string }[] = [];
  for (let next: string | null = ''; next !== null; ) {
    const cursor: string = next === '' ? '' : `&cursor=${encodeURIComponent(next)}`;
    const page = await person.ok('GET', `${person.project}/training-jobs/${id}/logs?limit=100${cursor}`);
    lines.push(...page.data);
    next = page.next_cursor;
  }
  return lines;
}

/** Each job has one charge: of the active time of its attempt, at its rate. */
async function brokenCharges(database: Database, asked: readonly Asked[]): Promise<string[]> {
  const rows = await database.query<{ id: string; charges: number; isExact: boolean | null }>(
    `select j.id, count(l.id)::integer as charges,
            bool_and(l.units = ceil(a.active_ms / 100) and a.billed_ms = l.units * 100 and l.micro = -a.charged_micro
                     and a.charged_micro = least(a.held_micro, round(l.units * j.rate_micro_per_minute / 600.0)))
              as "isExact"
       from training_jobs j join training_attempts a on a.job_id = j.id
       left join ledger l on l.training_job_id = j.id where j.id = any($1::text[]) group by j.id`,
    [asked.map(({ id }) => id)],
  );
  return rows.flatMap(({ id, charges, isExact }) =>
    charges === 1 && isExact ? [] : [`${id} has ${charges} charges${isExact ? '' : ', and not what is due'}`],
  );
}
