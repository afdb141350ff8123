import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createServer } from '#http';
import { createCursorCodec, systemClock } from '#kernel';
import { formatAmount, priceOfCredits, readPacks, readPrice } from './packs.ts';
import type { PricedModel } from './price-list.ts';
import { pricingRoutes } from './pricing.routes.ts';

const day = (text: string) => new Date(`2026-01-${text}T00:00:00Z`);

function model(id: string, change: Partial<PricedModel> = {}): PricedModel {
  return {
    id,
    kind: 'text',
    parameters: 1e9,
    listedAt: day('01'),
    rates: { inference: 30_000n, training: null, index: null },
    priceVersion: 'v7',
    effectiveFrom: day('02'),
    ...change,
  };
}

const models = [
  model('plain'),
  model('dear', { rates: { inference: 70_000n, training: 600_000n, index: null }, listedAt: day('03') }),
  model('gift', { rates: { inference: 0n, training: null, index: null } }),
  model('vectors', { kind: 'embedding', rates: { inference: 30_000n, training: null, index: 10_000n } }),
];

let server: ReturnType<typeof createServer>;
let origin = '';
let list = models;
const packs = readPacks('small=100@10.00USD, large=1000@90USD') ?? [];

before(async () => {
  server = createServer({ authenticator: async () => null, probe: async () => {}, trustedProxies: ['127.0.0.1'] });
  server.register(
    pricingRoutes({
      cursors: createCursorCodec(Buffer.alloc(32, 7)),
      clock: systemClock,
      prices: () => ({ priceVersion: 'v7', effectiveFrom: day('02'), models: list }),
      pace: (id) => ({ prefillMsPerToken: 2, decodeMsPerToken: 10, measured: id !== 'vectors' }),
      trainingTime: async (id, { examples, hyperparameters }) => {
        const expected = examples * Number(hyperparameters['epochs'] ?? 1);
        return { activeMs: { low: 1, expected, high: 4 * expected }, isMeasured: false, assumptions: [`on ${id}`] };
      },
      signUpMicro: async () => 5_000_000n,
      packs,
      creditPrice: null,
      checkoutEnabled: true,
    }),
  );
  origin = await server.listen({ host: '127.0.0.1', port: 0 });
});

after(() => server.close());

const get = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${origin}/api/v1/pricing/${path}`, { headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, json: text === '' ? null : JSON.parse(text) };
};

let address = 0;
/** Each caller has an address of his own, unless a test says otherwise. */
const ask = async (body: object, from = `192.0.2.${++address}`) => {
  const response = await fetch(`${origin}/api/v1/pricing/estimate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, json: JSON.parse(await response.text()) };
};

test('the terms tell units, rounding, what is free and what is sold, to anybody', async () => {
  const { status, json } = await get('platform');
  assert.equal(status, 200);
  assert.deepEqual(json, {
    price_version: 'v7',
    effective_from: '2026-01-02T00:00:00.000Z',
    billing_unit_ms: 100,
    minimum_units: 1,
    rounding: 'ceil_per_request',
    credit_decimals: 6,
    training: { charged_from: 'running', never_started: 'free' },
    signup_credits: '5.000000',
    packs: [
      { id: 'small', credits: '100.000000', price: { amount: '10.00', currency: 'USD' } },
      { id: 'large', credits: '1000.000000', price: { amount: '90.00', currency: 'USD' } },
    ],
    credit_price: null,
    checkout_enabled: true,
  });
});

test('terms and prices may be kept for a minute, and are not sent again to whoever has them', async () => {
  for (const path of ['platform', 'models', 'models?kind=text&limit=1']) {
    const first = await get(path);
    const etag = first.headers.get('etag') ?? '';
    assert.equal(first.headers.get('cache-control'), 'public, max-age=60');
    const again = await get(path, { 'if-none-match': etag });
    assert.deepEqual([again.status, again.json, again.headers.get('etag')], [304, null, etag]);
    assert.equal((await get(path, { 'if-none-match': '"other"' })).status, 200);
  }
});

test('the list has a line for what is offered on each model, last listed first, and pages through it', async () => {
  const { json } = await get('models');
  assert.deepEqual(
    json.data.map((price: Record<string, unknown>) => [
      price.model,
      price.operation,
      price.credits_per_unit,
      price.free,
    ]),
    [
      ['dear', 'inference', '0.000117', false],
      ['dear', 'training', '0.001000', false],
      ['vectors', 'inference', '0.000050', false],
      ['vectors', 'index', '0.000017', false],
      ['plain', 'inference', '0.000050', false],
      ['gift', 'inference', '0.000000', true],
    ],
  );
  assert.deepEqual(json.data[0], {
    model: 'dear',
    kind: 'text',
    operation: 'inference',
    credits_per_gpu_minute: '0.070000',
    credits_per_unit: '0.000117',
    free: false,
    price_version: 'v7',
    effective_from: '2026-01-02T00:00:00.000Z',
  });
  const seen: unknown[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: { data: unknown[]; next_cursor: string | null } = (
      await get(`models?limit=1${cursor && `&cursor=${cursor}`}`)
    ).json;
    seen.push(...page.data);
    cursor = page.next_cursor;
    // What is taken off the list meanwhile neither repeats nor hides the rest.
    if (seen.length === 2) list = models.filter(({ id }) => id !== 'dear');
  }
  list = models;
  assert.deepEqual(seen, json.data);
});

test('filters narrow the list, and a cursor belongs to its filters', async () => {
  const ids = async (query: string) =>
    (await get(`models${query}`)).json.data.map(({ model: id }: { model: string }) => id);
  assert.deepEqual(await ids('?kind=embedding'), ['vectors', 'vectors']);
  assert.deepEqual(await ids('?operation=training'), ['dear']);
  assert.deepEqual(await ids('?operation=index&kind=text'), []);
  const cursor: string = (await get('models?limit=1')).json.next_cursor;
  for (const [query, code] of [
    [`?kind=text&cursor=${cursor}`, 'invalid_cursor'],
    ['?kind=image', 'invalid_request'],
    ['?operation=theft', 'invalid_request'],
  ]) {
    const { status, json } = await get(`models${query}`);
    assert.deepEqual([status, json.error.code], [400, code], query);
  }
});

test('a known time costs exactly what a charge would', async () => {
  for (const [name, active_ms, units, credits] of [
    ['plain', 1, 1, '0.000050'],
    ['plain', 100, 1, '0.000050'],
    ['plain', 101, 2, '0.000100'],
    ['plain', 60_000, 600, '0.030000'],
    ['dear', 100, 1, '0.000117'],
    ['dear', 60_000, 600, '0.070000'],
    ['gift', 60_000, 600, '0.000000'],
  ] as const) {
    const { status, json } = await ask({ operation: 'inference', model: name, active_ms });
    assert.equal(status, 200);
    const same = <T>(value: T) => ({ low: value, expected: value, high: value });
    assert.deepEqual([json.units, json.credits, json.active_ms], [same(units), same(credits), same(active_ms)]);
    assert.deepEqual([json.basis, json.assumptions, json.price_version], ['exact', [], 'v7']);
  }
  const many = (await ask({ operation: 'inference', model: 'dear', active_ms: 1, requests: 1_000 })).json;
  assert.deepEqual([many.units.expected, many.credits.expected], [1_000, '0.117000'], 'each call is rounded by itself');
});

test('of tokens it says low, expected and high, from what was measured, or else from the size of the model', async () => {
  const { json } = await ask({
    operation: 'inference',
    model: 'plain',
    prompt_tokens: 50,
    max_tokens: 20,
    requests: 10,
  });
  assert.deepEqual(json.active_ms, { low: 100, expected: 2_000, high: 6_000 });
  assert.deepEqual(json.units, { low: 10, expected: 20, high: 60 });
  assert.deepEqual(json.credits, { low: '0.000500', expected: '0.001000', high: '0.003000' });
  assert.equal(json.basis, 'measured');
  assert.ok(json.assumptions.length >= 3);
  const vectors = (await ask({ operation: 'inference', model: 'vectors', inputs: 2, input_tokens: 100 })).json;
  assert.deepEqual(vectors.active_ms, { low: 1_600, expected: 1_600, high: 3_200 });
  assert.equal(vectors.basis, 'catalog_profile');
});

test('training is estimated where it is offered', async () => {
  const body = {
    operation: 'training',
    base_model: 'dear',
    examples: 100,
    tokens: 10_000,
    hyperparameters: { epochs: 2 },
  };
  const { json } = await ask(body);
  assert.deepEqual(json.active_ms, { low: 1, expected: 200, high: 800 });
  assert.deepEqual(json.units, { low: 1, expected: 2, high: 8 });
  assert.deepEqual(json.credits, { low: '0.001000', expected: '0.002000', high: '0.008000' });
  assert.deepEqual([json.basis, json.assumptions], ['catalog_profile', ['on dear']]);
  const { status, json: refusal } = await ask({ operation: 'training', base_model: 'plain', examples: 1 });
  assert.deepEqual(
    [status, refusal.error.param, refusal.error.details],
    [400, 'base_model', { reason: 'training_not_offered' }],
  );
});

test('what does not fit together is refused and named', async () => {
  const calls = { operation: 'inference', model: 'plain' };
  for (const [body, status, code, param] of [
    [{ ...calls, model: 'none', active_ms: 1 }, 404, 'model_not_found', 'model'],
    [{ operation: 'training', base_model: 'none', examples: 1 }, 404, 'model_not_found', 'base_model'],
    [{ operation: 'inference' }, 422, 'invalid_request', 'model'],
    [{ operation: 'training', base_model: 'dear' }, 422, 'invalid_request', 'examples'],
    [calls, 422, 'invalid_request', 'prompt_tokens'],
    [{ ...calls, prompt_tokens: 1 }, 422, 'invalid_request', 'max_tokens'],
    [{ ...calls, model: 'vectors', inputs: 2 }, 422, 'invalid_request', 'input_tokens'],
    [{ ...calls, active_ms: 1, max_tokens: 1 }, 400, 'invalid_request', 'max_tokens'],
    [{ ...calls, prompt_tokens: 1, max_tokens: 1, inputs: 1 }, 400, 'invalid_request', 'inputs'],
    [{ ...calls, model: 'vectors', input_tokens: 1, max_tokens: 1 }, 400, 'invalid_request', 'max_tokens'],
    [{ ...calls, active_ms: 0 }, 400, 'invalid_request', 'active_ms'],
    [{ ...calls, active_ms: '1' }, 422, 'invalid_request', 'active_ms'],
    [{ ...calls, active_ms: 1, requests: 0 }, 400, 'invalid_request', 'requests'],
    [{ operation: 'index', model: 'vectors' }, 400, 'invalid_request', 'operation'],
    [{}, 422, 'invalid_request', 'operation'],
  ] as const) {
    const { status: got, json } = await ask(body);
    assert.deepEqual([got, json.error.code, json.error.param], [status, code, param], JSON.stringify(body));
  }
});

test('an address gets sixty estimates a minute, whatever became of them, and another one its own', async () => {
  const body = { operation: 'inference', model: 'plain', active_ms: 1 };
  const answers = await Promise.all(Array.from({ length: 65 }, (_, i) => ask(i % 2 ? body : {}, '198.51.100.7')));
  assert.equal(answers.filter(({ status }) => status === 429).length, 5);
  const last = await ask(body, '198.51.100.7');
  assert.deepEqual([last.status, last.json.error.code], [429, 'rate_limited']);
  assert.ok(Number(last.headers.get('retry-after')) >= 1);
  assert.deepEqual([last.headers.get('ratelimit-limit'), last.headers.get('ratelimit-remaining')], ['60', '0']);
  const other = await ask(body, '198.51.100.8');
  assert.deepEqual([other.status, other.headers.get('ratelimit-remaining')], [200, '59']);
});

test('packs and prices are read as the provider counts them, and anything else is no price', () => {
  assert.deepEqual(packs[0], { id: 'small', micro: 100_000_000n, price: { minorUnits: 1_000n, currency: 'USD' } });
  assert.deepEqual(readPrice('500JPY'), { minorUnits: 500n, currency: 'JPY' });
  assert.equal(formatAmount({ minorUnits: 500n, currency: 'JPY' }), '500');
  assert.equal(formatAmount({ minorUnits: 5n, currency: 'EUR' }), '0.05');
  assert.deepEqual(priceOfCredits(1_000_001n, { minorUnits: 10n, currency: 'EUR' }).minorUnits, 11n);
  for (const text of ['10', '10.001USD', '1.5JPY', '1BHD', '0USD', '0.00EUR', '-1USD', '1usd', ''])
    assert.equal(readPrice(text), undefined, text);
  for (const text of ['', 'a=1', 'a=0@1USD', 'A=1@1USD', 'a=1@1USD,a=2@2USD', 'a=1.0000001@1USD'])
    assert.equal(readPacks(text), undefined, text);
});
