import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { bearer, seedAccount, seedKey, seedProject } from '#test/accounts.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { type Random, randomOfRun } from '#test/random.ts';
import { type ServerProcess, startServerProcess } from '#test/server-process.ts';
import { type ImportClient, importClient, type WireImport } from './import-client.ts';

let pg: TestDatabase;
let dataDir: string;
let server: ServerProcess;
let project: string;
let key: string;

before(async () => {
  pg = await createTestDatabase();
  dataDir = await mkdtemp(path.join(tmpdir(), 'fanfold-killed-'));
  const { accountId, slug } = await seedAccount(pg.database);
  ({ key } = await seedKey(pg.database, { accountId }));
  project = `${slug}/${(await seedProject(pg.database, { accountId, kind: 'text' })).slug}`;
  server = await startServerProcess(pg.url, { dataDir });
});

after(async () => {
  server?.kill();
  await pg?.drop();
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
});

const rowCount = 6_000;
const file = Buffer.from(
  Array.from({ length: rowCount }, (_, n) =>
    JSON.stringify({ prompt: `What comes after ${n}?`, completion: `It is ${n + 1}.` }),
  ).join('\n'),
);

const client = (): ImportClient => importClient({ origin: server.origin, key, project });

/** The server dies without a word, and a supervisor starts it again on the same data. */
async function killAndStart(): Promise<void> {
  const { pid, kill } = server;
  kill();
  // Whatever dies with it takes a moment; the new one must bear that.
  for (let tries = 0; isAlive(pid) && tries < 6_000; tries++) await sleep(5);
  assert.deepEqual(await halfDone(), []);
  server = await startServerProcess(pg.url, { dataDir });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Datasets that have some of their examples, or examples without a version: at no moment is there one. */
const halfDone = () =>
  pg.database.query(
    `select * from (
       select d.id,
              (select count(*)::int from examples e where e.dataset_id = d.id) as rows,
              (select coalesce(sum(c.examples), 0)::int from example_counts c where c.dataset_id = d.id) as counted,
              (select count(*)::int from dataset_versions v where v.dataset_id = d.id) as versions,
              (select count(*)::int from imports i where i.dataset_id = d.id and i.state = 'completed') as imports
         from datasets d) found
      where (rows, counted, versions, imports) <> ($1, $1, 1, 1)`,
    [rowCount],
  );

type Step = 'uploading' | 'profiling' | 'confirming' | 'importing';

/** A program that takes its file through, and after each loss of the server asks where it stands and goes on. */
async function takeThrough(id: string, meet: (step: Step) => Promise<void>): Promise<WireImport> {
  const steps: Record<string, (now: WireImport) => Promise<unknown>> = {
    awaiting_upload: (now) => Promise.all([sendRest(now), meet('uploading')]),
    uploaded: () => meet('profiling'),
    profiling: () => meet('profiling'),
    ready: () => Promise.all([confirm(id), meet('confirming')]),
    importing: () => meet('importing'),
  };
  for (const deadline = performance.now() + 300_000; performance.now() < deadline; await sleep(20)) {
    const now = await client().read(id);
    if (now.finished_at !== null) return now;
    await steps[now.state]?.(now);
  }
  throw new Error('It takes too long.');
}

/** What a dying server leaves unanswered is found out by asking the next one. */
const unlessLost = (work: Promise<unknown>) =>
  work.then(
    () => {},
    (error) => {
      const { code } = error.cause ?? error;
      assert.match(String(code), /^(ECONN|EPIPE|UND_ERR_SOCKET|ERR_STREAM)/, `${error}`);
    },
  );

async function sendRest({ id, file: { received_bytes: from } }: WireImport): Promise<void> {
  async function* slowly(): AsyncGenerator<Buffer> {
    for (let at = from; at < file.length; at += 50_000) {
      yield file.subarray(at, at + 50_000);
      await sleep(15);
    }
  }
  const headers = { ...bearer(key), 'content-range': `bytes ${from}-${file.length - 1}/${file.length}` };
  const upload = request(`${client().base}/imports/${id}/content`, { method: 'PUT', headers });
  const answered = once(upload, 'response').then(([response]) => {
    assert.equal(response.statusCode, 200);
    response.resume();
  });
  await unlessLost(Promise.all([pipeline(slowly(), upload), answered]));
}

async function confirm(id: string): Promise<void> {
  const talk = client();
  await unlessLost(
    talk.preview(id).then(({ preview_token }) => talk.ask('POST', `imports/${id}/confirm`, { preview_token })),
  );
}

/** Kills twice, in a step before the rows are known and in one after, at some moment of it. */
function killer(random: Random, log: (line: string) => void) {
  const moments = new Map<Step, number>([
    random.pick([
      ['uploading', 200],
      ['profiling', 900],
    ] as const),
    random.pick([
      ['confirming', 120],
      ['importing', 900],
    ] as const),
  ]);
  return async (step: Step) => {
    const within = moments.get(step);
    if (within === undefined) return;
    moments.delete(step);
    const afterMs = random.integer(within);
    await sleep(afterMs);
    log(`killed ${afterMs} ms into ${step}`);
    await killAndStart();
  };
}

test('a server that is killed at random moments of an import never leaves half a dataset, and the import ends whole', async (t) => {
  const random = randomOfRun();
  const { id } = await client().create({ name: 'a.jsonl', size: file.length });
  const done = await takeThrough(
    id,
    killer(random, (line) => t.diagnostic(line)),
  );
  assert.equal(done.state, 'completed', JSON.stringify(done.error));
  assert.equal(done.result?.examples_added, rowCount);
  assert.deepEqual(await halfDone(), []);
  const { demand } = client();
  assert.equal((await demand<{ total_count: number }>('GET', 'datasets')).total_count, 1);
  const told = await pg.database.query(`select type from activity where type like 'import.%' order by created_at`);
  assert.deepEqual(told, [{ type: 'import.ready' }, { type: 'import.completed' }]);
});
