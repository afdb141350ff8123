import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { bearer, seedProject } from '#test/accounts.ts';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import {
  type Asked,
  callModel,
  inTurn,
  type ProtocolRow,
  protocolRows,
  readingOf,
  streamingRows,
  textRows,
} from '#test/protocols.ts';
import { seededRandom } from '#test/random.ts';
import { at, type Counted, listAt } from '#test/read-answer.ts';
import { seedAlias, seedTenant, type Tenant } from '#test/tenants.ts';

/** Two accounts on one engine, in every protocol: nothing of the one reaches the other, and what is private does not exist for others. */
let database: TestDatabase;
let app: TestApp;
let ada: Tenant;
let bob: Tenant;

before(async () => {
  database = await createTestDatabase();
  app = await startApp(database.database);
  ada = await seedTenant(database.database, app.models);
  bob = await seedTenant(database.database, app.models);
});

after(async () => {
  await app?.stop();
  await database?.drop();
});

type Called = Asked & { owner?: Tenant; project?: string; signal?: AbortSignal };

/** Calls a model in a project: by default in one of the caller's own. */
function call(as: Tenant, row: ProtocolRow, { owner = as, project = row.project, signal, ...asked }: Called = {}) {
  const caller = { origin: app.origin, owner: owner.slug, project, key: as.key, ...(signal ? { signal } : {}) };
  return callModel(row, caller, asked);
}

async function answered(as: Tenant, row: ProtocolRow, asked: Asked): Promise<{ said: string; counted: Counted }> {
  const response = await call(as, row, asked);
  const text = await response.text();
  assert.equal(response.status, 200, text);
  const { said, counted } = readingOf(row, asked);
  return { said: said(text), counted: counted(text) };
}

function ask(as: Tenant, path: string): Promise<Response> {
  return fetch(`${app.origin}/api/projects/${path}`, { headers: bearer(as.key), signal: AbortSignal.timeout(180_000) });
}

let secrets = 0;
/** The same in every run; no two begin with the same three digits. */
function secret(): string {
  secrets += 1;
  const start = ((secrets * 1_001) % 4_096).toString(16).padStart(3, '0');
  return `kiwi${start}${createHash('sha256').update(String(secrets)).digest('hex').slice(0, 6)}`;
}
/** Unlike every other prompt from its first word on. */
const prompt = (canary: string) =>
  `${canary} is my secret word. Never tell ${canary} to anybody. Repeat: ${canary} ${canary}`;

/** What two prompts with nothing in common share at most: the opening of the template, `kiwi`, a few equal digits. */
const commonTokens = 16;

test('no word of one account shows in hundreds of answers of another at full batch, with cancels on both sides', async (t) => {
  const random = seededRandom(5);
  const canaries = Array.from({ length: 40 }, secret);
  const outputs: string[] = [];
  const cached: number[] = [];
  let [cancelled, leaked] = [0, 0];
  const spy = async (asked: Asked): Promise<string> => {
    const { said, counted } = await answered(bob, random.pick(textRows), { maxTokens: 12, ...asked });
    cached.push(counted.cachedTokens);
    return said;
  };
  const streamed = async (as: Tenant, text: string, isCut: boolean): Promise<string> => {
    const leave = new AbortController();
    const row = random.pick(streamingRows);
    const asked = { text, stream: true, maxTokens: 20, ...(isCut ? { longFor: 150, maxTokens: 3_900 } : {}) };
    let stream = '';
    try {
      const response = await call(as, row, { ...asked, signal: leave.signal });
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        stream += chunk;
        if (isCut) leave.abort();
      }
    } catch (error) {
      if (!leave.signal.aborted) throw error;
      cancelled += 1;
    }
    return row.stream.said(stream);
  };
  const spoken = { ada: 0 };
  const victim = async () => {
    while (outputs.length < 240) {
      const canary = random.pick(canaries);
      const text = random.chance(0.4)
        ? await streamed(ada, prompt(canary), random.chance(0.5))
        : (await answered(ada, random.pick(textRows), { text: prompt(canary), maxTokens: 12 })).said;
      if (text.includes(canary)) spoken.ada += 1;
    }
  };
  const stranger = async () => {
    while (outputs.length < 240) {
      // Invitations to go on where another conversation stopped.
      const text = `${secret()} ${random.pick(['Repeat:', 'What is my secret word?', 'kiwi', 'Go on.', 'Never tell'])}`;
      const extra = { temperature: random.pick([0, 0.5, 1]), seed: random.integer(1_000) };
      outputs.push(random.chance(0.3) ? await streamed(bob, text, random.chance(0.5)) : await spy({ text, extra }));
    }
  };
  await Promise.all([...Array.from({ length: 4 }, victim), ...Array.from({ length: 5 }, stranger)]);
  for (const output of outputs) if (canaries.some((canary) => output.includes(canary.slice(4)))) leaked += 1;
  t.diagnostic(
    `${outputs.length} answers, ${cancelled} cancelled calls; the owner got its word back in ${spoken.ada} answers`,
  );
  assert.ok(spoken.ada > 0, 'the model says such words when it has read them');
  assert.equal(leaked, 0, `${leaked} answers hold a word of the other account`);
  assert.ok(cancelled >= 20, `${cancelled} cancelled`);
  assert.ok(Math.max(...cached) <= commonTokens, `${Math.max(...cached)} tokens were reused`);
});

test('a prompt that another account has just sent is as uncached as one that nobody sent', async (t) => {
  const times: Record<'own' | 'theirs' | 'fresh', number[]> = { own: [], theirs: [], fresh: [] };
  const timed = async (as: Tenant, { row, text }: { row: ProtocolRow; text: string }, to: number[]) => {
    const startedMs = performance.now();
    const { counted } = await answered(as, row, { text, maxTokens: 1 });
    to.push(performance.now() - startedMs);
    return counted;
  };
  for (let round = 0; round < 2 * textRows.length; round++) {
    const row = inTurn(textRows, round);
    const long = (word: string) => ({ row, text: `${word}. ${`Line ${round} of ${word}. `.repeat(30)}` });
    const [shared, other] = [long(secret()), long(secret())];
    const first = await timed(ada, shared, []);
    const own = await timed(ada, shared, times.own);
    assert.ok(own.cachedTokens > first.promptTokens - 3, `${row.name}: the cache is at work`);
    const theirs = await timed(bob, shared, times.theirs);
    assert.ok(theirs.cachedTokens <= commonTokens, `${row.name}: ${theirs.cachedTokens} tokens were reused`);
    const again = await timed(bob, shared, []);
    assert.equal(again.cachedTokens, own.cachedTokens, `${row.name}: the account's own repetition is reused`);
    const fresh = await timed(bob, other, times.fresh);
    assert.ok(fresh.cachedTokens <= commonTokens, `${row.name}: ${fresh.cachedTokens} tokens were reused`);
  }
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
  const [own, theirs, fresh] = [median(times.own), median(times.theirs), median(times.fresh)];
  t.diagnostic(
    `own ${own.toFixed(1)} ms, of the other account ${theirs.toFixed(1)} ms, of nobody ${fresh.toFixed(1)} ms`,
  );
});

test('vectors are the same whoever else asks at the time', async () => {
  const row = protocolRows.find(({ kind }) => kind === 'embedding') ?? assert.fail();
  const vectorOf = async (as: Tenant, text: string) => (await answered(as, row, { text })).said;
  const texts = Array.from({ length: 12 }, (_, n) => `How heavy is lamp ${n}?`);
  const alone: string[] = [];
  for (const text of texts) alone.push(await vectorOf(bob, text));
  assert.equal(new Set(alone).size, texts.length);
  const crowd = Array.from({ length: 24 }, (_, n) => vectorOf(ada, `${secret()} `.repeat(1 + (n % 9))));
  assert.deepEqual(await Promise.all(texts.map((text) => vectorOf(bob, text))), alone);
  await Promise.all(crowd);
});

/** Lists of models, of every interface. */
const lists = ['openai/v1/models', 'anthropic/v1/models'];

type Refused = { told: [status: number, word: string | null]; text: string };

/** Without what names the one request. */
const textOf = async (response: Response) =>
  (await response.text()).replace(/"((?:request_)?id)":"req_[^"]*"/, '"$1":""');

async function refusalOf(response: Response, { errorIn }: Pick<ProtocolRow, 'errorIn'>): Promise<Refused> {
  const text = await textOf(response);
  return { told: [response.status, errorIn(text)], text };
}

test("another account's private project answers every route byte for byte like one that does not exist", async () => {
  const places = (project: string): [owner: string, project: string][] => [
    [ada.slug, project],
    [ada.slug, 'nothing'],
    [`nobody-${ada.slug}`, project],
  ];
  for (const project of ['chat', 'search']) {
    for (const row of protocolRows) {
      const refusals: Refused[] = [];
      for (const [slug, project_] of places(project)) {
        const response = await call(bob, row, { owner: { ...ada, slug }, project: project_, model: project });
        refusals.push(await refusalOf(response, row));
      }
      const [private_, missing, nobody] = refusals;
      assert.deepEqual(private_?.told, row.refusal('project_not_found'), row.name);
      assert.deepEqual([private_, private_], [missing, nobody], row.name);
    }
    for (const path of lists.flatMap((list) => [list, `${list}/${project}`])) {
      const answers: [number, string][] = [];
      for (const place of places(project)) {
        const response = await ask(bob, `${place.join('/')}/${path}`);
        answers.push([response.status, await textOf(response)]);
      }
      const [private_, missing, nobody] = answers;
      assert.equal(private_?.[0], 404, path);
      assert.deepEqual([private_, private_], [missing, nobody], path);
    }
  }
});

test('of a public project others may call the active public aliases, at their own cost, and nothing else', async () => {
  const { accountId } = ada;
  const { projectId } = await seedProject(database.database, { accountId, slug: 'open', visibility: 'public' });
  for (const alias of [
    { alias: 'everyone', visibility: 'public' },
    { alias: 'mine', visibility: 'private' },
    { alias: 'ours', visibility: 'shared' },
    { alias: 'off', visibility: 'public', active: false },
  ] as const)
    await seedAlias(database.database, app.models, { projectId, ...alias });
  const inOpen = (as: Tenant, row: ProtocolRow, model: string) => call(as, row, { owner: ada, project: 'open', model });

  for (const path of lists.map((list) => `${ada.slug}/open/${list}`)) {
    const listed = async (as: Tenant) =>
      listAt(await (await ask(as, path)).json(), 'data')
        .map((model) => at(model, 'id'))
        .sort();
    assert.deepEqual(await listed(bob), ['everyone']);
    assert.deepEqual(await listed(ada), ['everyone', 'mine', 'ours']);
    const nowhere = await textOf(await ask(bob, `${path}/nosuch`));
    for (const alias of ['mine', 'ours', 'off'])
      assert.equal(await textOf(await ask(bob, `${path}/${alias}`)), nowhere, alias);
  }

  for (const row of textRows) {
    const served = await inOpen(bob, row, 'everyone');
    assert.equal(served.status, 200);
    const charges = await database.database.query<object>(
      'select account_id, project_id from ledger where request_id = $1',
      [served.headers.get('x-request-id')],
    );
    assert.deepEqual(
      charges.map((charge) => ({ ...charge })),
      [{ account_id: bob.accountId, project_id: projectId }],
    );

    const unknown = await refusalOf(await inOpen(bob, row, 'nosuch'), row);
    assert.deepEqual(unknown.told, row.refusal('model_not_found'), row.name);
    for (const alias of ['mine', 'ours', 'off']) {
      const { told, text } = await refusalOf(await inOpen(bob, row, alias), row);
      assert.deepEqual({ told, text: text.replaceAll(alias, 'nosuch') }, unknown, `${row.name}: ${alias}`);
    }
    for (const model of ['fanfold-tiny-chat', 'fanfold-tiny-embed', 'qwen3-0.6b'])
      assert.deepEqual(
        (await refusalOf(await inOpen(bob, row, model), row)).told,
        row.refusal('owner_required'),
        model,
      );
    const ofJob = await refusalOf(await inOpen(bob, row, 'training-job#job_1'), row);
    assert.deepEqual(ofJob.told, row.refusal('model_not_found'), row.name);
    for (const model of ['everyone', 'mine', 'ours', 'fanfold-tiny-chat'])
      assert.equal((await inOpen(ada, row, model)).status, 200, `${row.name}: ${model}`);
  }
});
