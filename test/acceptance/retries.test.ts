import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { doctor } from '#billing';
import { bearer } from '#test/accounts.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { bodyOf, callForms, inTurn, pathOf, readingOf } from '#test/protocols.ts';
import { answerId } from '#test/read-answer.ts';
import { type ServerProcess, startServerProcess } from '#test/server-process.ts';
import { openShippedModels } from '#test/shipped-models.ts';
import { seedTenant, type Tenant } from '#test/tenants.ts';
import { deleteServer, reapServers } from '../../src/calls/servers.store.ts';

/** The same request under one key, many times at once and in every protocol, over two processes of which one is killed again and again. */
let pg: TestDatabase;
let ada: Tenant;
let staying: ServerProcess;
let dying: ServerProcess;
let dyingId: string;
/** Instances of the processes that were killed. */
const dead = new Set<string>();

// Whoever lives is never taken for dead, however slow the machine is: of those that were killed it is told below.
const timing = { heartbeatMs: 200, reapMs: 300, deadAfterMs: 600_000 };

before(async () => {
  pg = await createTestDatabase();
  ada = await seedTenant(pg.database, openShippedModels());
  staying = (await start()).server;
  ({ server: dying, id: dyingId } = await start());
});

after(async () => {
  await staying?.stop();
  dying?.kill();
  await pg?.drop();
});

const instances = async () => (await pg.database.query<{ id: string }>('select id from instances')).map(({ id }) => id);

/** A process of which others know that it lives. */
async function start(): Promise<{ server: ServerProcess; id: string }> {
  const others = new Set([...(await instances()), ...dead]);
  const server = await startServerProcess(pg.url, { timing });
  for (;;) {
    const id = (await instances()).find((each) => !others.has(each));
    if (id !== undefined) return { server, id };
    await sleep(20);
  }
}

function kill(): void {
  dead.add(dyingId);
  dying.kill();
}

async function startAgain(): Promise<void> {
  ({ server: dying, id: dyingId } = await start());
}

/** What others do once they take the killed for dead. A last life sign may have been on its way: it can be done again. */
async function bury(): Promise<void> {
  for (const id of dead) await deleteServer(pg.database, id);
  await reapServers(
    pg.database,
    [...dead].map((id) => ({ id, seenAt: null })),
  );
}

type Sent = {
  path: string;
  body: object;
  /** What must be the same in every answer. Default: all of it. */
  gist?: (text: string) => string;
};
type Answer = {
  status: number;
  /** The gist of it. */
  text: string;
  isReplay: boolean;
  /** Another request with the key still runs, and this one may be sent again. */
  isRunning: boolean;
};

/** Null: there was no answer. */
async function post(
  to: ServerProcess,
  { path, body, gist = (text) => text }: Sent,
  key: string,
): Promise<Answer | null> {
  try {
    const response = await fetch(to.origin + path, {
      method: 'POST',
      headers: { ...bearer(ada.key), 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(180_000),
    });
    const text = await response.text();
    const { status, headers } = response;
    return {
      status,
      text: status < 400 ? gist(text) : text,
      isRunning: status === 409 && headers.get('x-should-retry') === null,
      isReplay: headers.get('idempotent-replay') === 'true',
    };
  } catch {
    return null;
  }
}

/** As a client retries that has been told nothing, or that the first request still runs. */
async function retry(to: ServerProcess, sent: Sent, key: string): Promise<Answer> {
  for (let tries = 0; tries < 2_400; tries++) {
    const answer = await post(to, sent, key);
    if (answer && !answer.isRunning) return answer;
    await bury();
    await sleep(50);
  }
  throw new Error('No answer within two minutes.');
}

/** Every protocol, as a stream and in one piece. Where it has grammars an answer is long enough for a kill to meet it in the middle. */
const calls = callForms.map(({ row, stream }) => {
  const asked = { stream, longFor: 30, maxTokens: row.keepsLong ? 1_000 : 40 };
  const { said, isWhole, counted } = readingOf(row, asked);
  const gist = (text: string) =>
    stream ? JSON.stringify([isWhole(text), answerId(text), said(text), counted(text)]) : text;
  const sent = (): Sent => ({ path: pathOf(row, { owner: ada.slug }), body: bodyOf(row, asked), gist });
  return { name: `${row.name}, stream: ${stream}`, sent };
});
const callOf = (n: number) => inTurn(calls, n);

const countOf = async (statement: string) =>
  Number((await pg.database.query<{ n: bigint }>(`select count(*) as n from ${statement}`))[0]?.n ?? 0);
const charges = () => countOf("ledger where type = 'inference'");

test('fifty equal calls at once over two processes are one run, one charge and one answer', async () => {
  for (const { name, sent } of calls) {
    const key = randomUUID();
    const before = await charges();
    const first = await Promise.all(
      Array.from({ length: 50 }, (_, n) => post(n % 2 === 0 ? staying : dying, sent(), key)),
    );
    const fresh = first.filter((answer) => answer?.status === 200 && !answer.isReplay);
    assert.equal(fresh.length, 1, name);
    for (const answer of first) assert.ok(answer?.status === 200 || answer?.isRunning, answer?.text);
    const again = await Promise.all(
      Array.from({ length: 50 }, (_, n) => retry(n % 2 === 0 ? staying : dying, sent(), key)),
    );
    for (const { status, text, isReplay } of again)
      assert.deepEqual([status, text, isReplay], [200, fresh[0]?.text, true], name);
    assert.equal(await charges(), before + 1, name);
  }
});

test('a process that is killed in the middle of such calls costs nobody a second charge or a different answer', async (t) => {
  const rounds = 3;
  const keys: string[] = [];
  const before = await charges();
  const [seen, differing] = [new Map<string, string>(), [] as string[]];
  for (let round = 0; round < rounds; round++) {
    // Of every round some keys run on either process; the kill hits them before, while and after they run.
    const ours = calls.map(() => randomUUID());
    keys.push(...ours);
    const sent = ours.flatMap((key, n) => {
      const [first, second] = n % 3 === 0 ? [staying, dying] : [dying, staying];
      const call = callOf(n).sent();
      return [post(first, call, key), sleep(n * 10).then(() => post(second, call, key))];
    });
    await sleep(100 + 250 * round);
    kill();
    for (const [index, answer] of (await Promise.all(sent)).entries()) {
      const key = ours[Math.floor(index / 2)] ?? '';
      if (answer?.status === 200) note(key, answer.text);
    }
    await startAgain();
    for (const [n, key] of ours.entries())
      for (const process of [staying, dying]) note(key, await retried(process, callOf(n).sent(), key));
  }
  assert.deepEqual(differing, []);
  assert.equal(await charges(), before + keys.length, 'one charge a key');
  t.diagnostic(`${rounds} kills, ${keys.length} keys`);

  function note(key: string, text: string): void {
    if ((seen.get(key) ?? text) !== text) differing.push(key);
    seen.set(key, text);
  }

  async function retried(process: ServerProcess, sent: Sent, key: string): Promise<string> {
    const { status, text } = await retry(process, sent, key);
    assert.equal(status, 200, text);
    return text;
  }
});

const keyNamed = (name: string): Sent => ({ path: '/api/v1/keys', body: { name } });

test('what is made under a key is made once and answered alike, also by a process that took over from a dead one', async () => {
  const made: { key: string; name: string; texts: Set<string> }[] = [];
  for (let round = 0; round < 2; round++) {
    const ours = Array.from({ length: 20 }, () => ({
      key: randomUUID(),
      name: `made ${randomUUID()}`,
      texts: new Set<string>(),
    }));
    made.push(...ours);
    const sent = ours.map(async (each, n) => {
      await sleep(n * 3);
      const answer = await post(dying, keyNamed(each.name), each.key);
      if (answer?.status === 201) each.texts.add(answer.text);
    });
    await sleep(20 + round * 30);
    kill();
    await Promise.all(sent);
    await startAgain();
    for (const { key, name, texts } of ours) {
      const answer = await retry(staying, keyNamed(name), key);
      assert.equal(answer.status, 201, answer.text);
      texts.add(answer.text);
    }
  }
  for (const { texts } of made) assert.equal(texts.size, 1);
  assert.equal(await countOf("api_keys where name like 'made %'"), made.length);
  assert.equal(await countOf("activity where type = 'key.created' and subject_label like 'made %'"), made.length);
});

test('after all that the books are right, and no key is left without an answer', async () => {
  assert.deepEqual(await doctor(pg.database), []);
  for (let tries = 0; (await countOf('calls where status is null')) > 0 && tries < 1_200; tries++) {
    await bury();
    await sleep(100);
  }
  assert.equal(await countOf('calls where status is null'), 0);
});
