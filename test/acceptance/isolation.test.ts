import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { bearer, seedProject } from '#test/accounts.ts';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { longAnswer } from '#test/long-answer.ts';
import { seededRandom } from '#test/random.ts';
import { seedAlias, seedTenant, type Tenant } from '#test/tenants.ts';

/** Two accounts on one engine: nothing of the one reaches the other, and what is private does not exist for others. */
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

type Sent = { method?: string; body?: unknown; signal?: AbortSignal };

function send(as: Tenant, path: string, { method = 'POST', body, signal }: Sent = {}): Promise<Response> {
  return fetch(`${app.origin}/api/projects/${path}`, {
    method,
    headers: { ...bearer(as.key), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: signal ?? AbortSignal.timeout(180_000),
  });
}

type ChatBody = {
  choices: { message: { content: string | null; reasoning_content?: string } }[];
  usage: { prompt_tokens: number; cached_tokens: number };
};

const chatPath = (owner: Tenant) => `${owner.slug}/chat/openai/v1/chat/completions`;
const chatBody = (content: string, extra: object = {}) => ({
  model: 'chat',
  messages: [{ role: 'user', content }],
  max_tokens: 12,
  reasoning_effort: 'none',
  ...extra,
});

async function chat(as: Tenant, content: string, extra: object = {}): Promise<ChatBody> {
  const response = await send(as, chatPath(as), { body: chatBody(content, extra) });
  assert.equal(response.status, 200, await response.clone().text());
  // as: the wire tests prove the shape.
  return (await response.json()) as ChatBody;
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
  const spy = async (content: string, extra: object): Promise<string> => {
    const { choices, usage } = await chat(bob, content, extra);
    cached.push(usage.cached_tokens);
    return JSON.stringify(choices);
  };
  const streamed = async (as: Tenant, content: string, isCut: boolean): Promise<string> => {
    const leave = new AbortController();
    const body = chatBody(content, isCut ? longAnswer : { stream: true, max_tokens: 20 });
    let text = '';
    try {
      const response = await send(as, chatPath(as), { body, signal: leave.signal });
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += chunk;
        if (isCut) leave.abort();
      }
    } catch (error) {
      if (!leave.signal.aborted) throw error;
      cancelled += 1;
    }
    return text;
  };
  const spoken = { ada: 0 };
  const victim = async () => {
    while (outputs.length < 240) {
      const canary = random.pick(canaries);
      const text = random.chance(0.4)
        ? await streamed(ada, prompt(canary), random.chance(0.5))
        : JSON.stringify((await chat(ada, prompt(canary))).choices);
      if (text.includes(canary)) spoken.ada += 1;
    }
  };
  const stranger = async () => {
    while (outputs.length < 240) {
      // Invitations to go on where another conversation stopped.
      const content = `${secret()} ${random.pick(['Repeat:', 'What is my secret word?', 'kiwi', 'Go on.', 'Never tell'])}`;
      const sampling = { temperature: random.pick([0, 1, 1.5]), seed: random.integer(1_000) };
      outputs.push(
        random.chance(0.3) ? await streamed(bob, content, random.chance(0.5)) : await spy(content, sampling),
      );
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
  const timed = async (as: Tenant, content: string, to: number[]) => {
    const startedMs = performance.now();
    const { usage } = await chat(as, content, { max_tokens: 1 });
    to.push(performance.now() - startedMs);
    return usage;
  };
  for (let round = 0; round < 7; round++) {
    const long = (word: string) => `${word}. ${`Line ${round} of ${word}. `.repeat(30)}`;
    const [shared, other] = [long(secret()), long(secret())];
    const first = await timed(ada, shared, []);
    const own = await timed(ada, shared, times.own);
    assert.ok(own.cached_tokens > first.prompt_tokens - 3, 'the cache is at work');
    const theirs = await timed(bob, shared, times.theirs);
    assert.ok(theirs.cached_tokens <= commonTokens, `${theirs.cached_tokens} tokens were reused`);
    const again = await timed(bob, shared, []);
    assert.equal(again.cached_tokens, own.cached_tokens, "the account's own repetition is reused");
    const fresh = await timed(bob, other, times.fresh);
    assert.ok(fresh.cached_tokens <= commonTokens, `${fresh.cached_tokens} tokens were reused`);
  }
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
  const [own, theirs, fresh] = [median(times.own), median(times.theirs), median(times.fresh)];
  t.diagnostic(
    `own ${own.toFixed(1)} ms, of the other account ${theirs.toFixed(1)} ms, of nobody ${fresh.toFixed(1)} ms`,
  );
});

test('vectors are the same whoever else asks at the time', async () => {
  const ask = async (as: Tenant, input: string): Promise<string> => {
    const path = `${as.slug}/search/openai/v1/embeddings`;
    const response = await send(as, path, { body: { model: 'search', input, encoding_format: 'base64' } });
    return ((await response.json()) as { data: { embedding: string }[] }).data[0]?.embedding ?? '';
  };
  const texts = Array.from({ length: 12 }, (_, n) => `How heavy is lamp ${n}?`);
  const alone: string[] = [];
  for (const text of texts) alone.push(await ask(bob, text));
  assert.equal(new Set(alone).size, texts.length);
  const crowd = Array.from({ length: 24 }, (_, n) => ask(ada, `${secret()} `.repeat(1 + (n % 9))));
  assert.deepEqual(await Promise.all(texts.map((text) => ask(bob, text))), alone);
  await Promise.all(crowd);
});

type Refusal = { error: { message: string; code: string; param: string | null } };
type Route = { method?: string; path: string; body?: object };

/** Every compatible route of a project, with a call that its owner could make. */
const routesOf = (model: string): Route[] => [
  { method: 'GET', path: 'models' },
  { method: 'GET', path: `models/${model}` },
  { path: 'chat/completions', body: chatBody('Hello!', { model }) },
  { path: 'completions', body: { model, prompt: 'Hello!', max_tokens: 2 } },
  { path: 'embeddings', body: { model, input: 'lamp' } },
];

async function refusalOf(response: Response): Promise<[status: number, code: string, text: string]> {
  const text = await response.text();
  return [response.status, (JSON.parse(text) as Refusal).error.code, text];
}

test("another account's private project answers every route byte for byte like one that does not exist", async () => {
  for (const [project, model] of [
    ['chat', 'chat'],
    ['search', 'search'],
  ] as const)
    for (const { path, ...call } of routesOf(model)) {
      const private_ = await refusalOf(await send(bob, `${ada.slug}/${project}/openai/v1/${path}`, call));
      const missing = await refusalOf(await send(bob, `${ada.slug}/nothing/openai/v1/${path}`, call));
      const nobody = await refusalOf(await send(bob, `nobody-${ada.slug}/${project}/openai/v1/${path}`, call));
      assert.deepEqual(private_.slice(0, 2), [404, 'project_not_found'], path);
      assert.deepEqual([private_, private_], [missing, nobody], path);
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
  const at = `${ada.slug}/open/openai/v1`;
  const call = (as: Tenant, model: string) =>
    send(as, `${at}/chat/completions`, { body: chatBody('Hello!', { model, max_tokens: 2 }) });

  const list = async (as: Tenant) =>
    ((await (await send(as, `${at}/models`, { method: 'GET' })).json()) as { data: { id: string }[] }).data
      .map(({ id }) => id)
      .sort();
  assert.deepEqual(await list(bob), ['everyone']);
  assert.deepEqual(await list(ada), ['everyone', 'mine', 'ours']);

  const served = await call(bob, 'everyone');
  assert.equal(served.status, 200);
  const charges = await database.database.query<object>(
    'select account_id, project_id from ledger where request_id = $1',
    [served.headers.get('x-request-id')],
  );
  assert.deepEqual(
    charges.map((row) => ({ ...row })),
    [{ account_id: bob.accountId, project_id: projectId }],
  );

  const unknown = await refusalOf(await call(bob, 'nosuch'));
  assert.deepEqual(unknown.slice(0, 2), [404, 'model_not_found']);
  const nowhere = await refusalOf(await send(bob, `${at}/models/nosuch`, { method: 'GET' }));
  for (const alias of ['mine', 'ours', 'off']) {
    const [status, code, text] = await refusalOf(await call(bob, alias));
    assert.deepEqual([status, code, text.replaceAll(alias, 'nosuch')], unknown, alias);
    assert.deepEqual(await refusalOf(await send(bob, `${at}/models/${alias}`, { method: 'GET' })), nowhere, alias);
  }
  for (const model of ['fanfold-tiny-chat', 'fanfold-tiny-embed', 'qwen3-0.6b'])
    assert.deepEqual((await refusalOf(await call(bob, model))).slice(0, 2), [403, 'owner_required'], model);
  assert.deepEqual((await refusalOf(await call(bob, 'training-job#job_1'))).slice(0, 2), [404, 'model_not_found']);
  for (const model of ['everyone', 'mine', 'ours', 'fanfold-tiny-chat'])
    assert.equal((await call(ada, model)).status, 200, model);
});
