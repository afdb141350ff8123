import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { bearer } from '#test/accounts.ts';
import { chatFields, schemaBombs } from '#test/bombs.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { type ServerProcess, startServerProcess } from '#test/server-process.ts';
import { openShippedModels } from '#test/shipped-models.ts';
import { seedTenant, type Tenant } from '#test/tenants.ts';

/** Whatever one account sends, a call of another takes less than twice the time that it takes alone. */
const rounds = 7;
const atOnce = 2;

let database: TestDatabase;
let server: ServerProcess;
let attacker: Tenant;
let neighbour: Tenant;

before(async () => {
  database = await createTestDatabase();
  const models = openShippedModels();
  attacker = await seedTenant(database.database, models);
  neighbour = await seedTenant(database.database, models);
  server = await startServerProcess(database.url);
  await call();
});

after(async () => {
  server?.kill();
  await database?.drop();
});

const at = (tenant: Tenant, project: string, route: string) =>
  `${server.origin}/api/projects/${tenant.slug}/${project}/openai/v1/${route}`;

const json = { 'content-type': 'application/json' };

/** A call of the neighbour that always writes the same number of tokens; how long it took, in ms. */
async function call(): Promise<number> {
  const schema = { type: 'array', items: { const: 'and so on' }, minItems: 40, maxItems: 40 };
  const format = { type: 'json_schema', json_schema: { name: 'list', schema } };
  const body = JSON.stringify(chatFields('Hello!', { max_tokens: 900, response_format: format }));
  const startedMs = performance.now();
  const headers = { ...bearer(neighbour.key), ...json };
  const response = await fetch(at(neighbour, 'chat', 'chat/completions'), { method: 'POST', headers, body });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return performance.now() - startedMs;
}

type Attack = { send: () => Promise<unknown>; stop?: () => void };

function posts(project: string, route: string, bodies: readonly string[]): Attack {
  let next = 0;
  const send = async () => {
    const body = bodies[next++ % bodies.length] ?? '';
    const headers = { ...bearer(attacker.key), ...json };
    const response = await fetch(at(attacker, project, route), { method: 'POST', headers, body });
    const text = await response.text();
    assert.ok([200, 400, 413, 503].includes(response.status), `${response.status} ${text.slice(0, 300)}`);
  };
  return { send };
}

const many = <Item>(count: number, make: (at: number) => Item): Item[] =>
  Array.from({ length: count }, (_, n) => make(n));

/**
 * Schemas that take long to refuse, or to make ready. Each is sent with other names, so that nothing is known of it. `isOfTool`: without
 * those that are passed over in a tool, whose calls are served like any other.
 */
function schemas({ isOfTool = false } = {}): unknown[] {
  const salted = (salt: string): unknown[] => [
    { allOf: many(4, (n) => ({ anyOf: many(150, (m) => ({ const: `${salt}${n}-${m}` })) })) },
    { type: 'string', pattern: `^(${many(3_000, (n) => `${salt}${n}`).join('|')})$` },
    { type: 'string', pattern: `^${many(4_000, (n) => `[a-z]${n % 10}`).join('')}${salt}$` },
    { enum: many(4_000, (n) => `${salt}${n * 7_919}`) },
    { oneOf: many(1_500, (n) => ({ const: `${salt}${n}` })) },
    ...(isOfTool ? [] : often(salt)),
  ];
  return many(30, (n) => salted(`s${n}x`)).flat();
}

/** As an answer they are refused or held exactly. */
function often(salt: string): unknown[] {
  return [
    { type: 'string', pattern: `^(${salt}|[ab]{1,30}){1,30}$`, maxLength: 64 },
    {
      allOf: many(25, (n) => ({
        type: 'object',
        properties: { [`${salt}${n}`]: { type: 'string', maxLength: n + 9 } },
      })),
    },
    ...Object.values(schemaBombs).map((schema) => schema()),
  ];
}

const chats = (fields: readonly object[]) =>
  posts(
    'chat',
    'chat/completions',
    fields.map((each) => JSON.stringify(chatFields('Hello!', each))),
  );

const attacks: Record<string, () => Attack> = {
  'schemas of answers': () =>
    chats(
      schemas().map((schema) => ({ response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } })),
    ),
  'schemas of tools': () =>
    chats(
      schemas({ isOfTool: true }).map((schema) => {
        const parameters = { type: 'object', properties: { a: schema } };
        return { tools: [{ type: 'function', function: { name: 'f', parameters } }], tool_choice: 'required' };
      }),
    ),
  'prompts of a megabyte': () =>
    chats(
      ['word ', 'a', ' ', '😀', '1', '漢'].map((text) => ({
        messages: [{ role: 'user', content: text.repeat(900_000 / Buffer.byteLength(text)) }],
      })),
    ),
  'inputs of a megabyte': () =>
    posts(
      'search',
      'embeddings',
      ['word ', 'a', '😀'].flatMap((text) =>
        [true, false].map((truncate) =>
          JSON.stringify({ model: 'search', input: text.repeat(800_000 / Buffer.byteLength(text)), truncate }),
        ),
      ),
    ),
  'connections that say nothing': () => {
    const sockets = new Set<Socket>();
    const send = async () => {
      const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
      await new Promise<void>((resolve) => socket.once('connect', resolve).once('close', () => resolve()));
      // Thousands a second, and not so many that this process is what is busy.
      await sleep(1);
    };
    return { send, stop: () => sockets.forEach((socket) => void socket.destroy()) };
  },
};

for (const [name, make] of Object.entries(attacks))
  test(`a neighbour who sends ${name} does not double the time of a call`, async (t) => {
    const [alone, attacked]: [number[], number[]] = [[], []];
    let sent = 0;
    // In turns: the machine is not as fast at one time as at another.
    for (let round = 0; round < rounds; round++) {
      alone.push(await call());
      const attack = make();
      const end = { come: false };
      const senders = many(atOnce, async () => {
        while (!end.come) {
          await attack.send();
          sent++;
        }
      });
      await attack.send();
      attacked.push(await call());
      end.come = true;
      await Promise.all(senders);
      attack.stop?.();
    }
    const [usual, then] = [median(alone), median(attacked)];
    t.diagnostic(`alone ${usual.toFixed(0)} ms, attacked ${then.toFixed(0)} ms, ${sent} sent`);
    assert.ok(then < 2 * usual, `${then.toFixed(0)} ms instead of ${usual.toFixed(0)} ms`);
  });

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
