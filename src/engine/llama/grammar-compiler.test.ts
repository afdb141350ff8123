import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Fault, parseExactJson } from '#kernel';
import { formats } from '../text/formats/formats.fixture.ts';
import { type GrammarInput, grammarTexts } from '../text/grammar.ts';
import { GrammarCompiler, type GrammarRequest } from './grammar-compiler.ts';

const compilers: GrammarCompiler[] = [];
after(() => Promise.all(compilers.map((compiler) => compiler.close())));

function open(limitMs?: number): GrammarCompiler {
  const limit = limitMs === undefined ? {} : { limitMs };
  const compiler = new GrammarCompiler({ log: () => {}, environment: process.env, ...limit });
  compilers.push(compiler);
  return compiler;
}

const free: GrammarInput = {
  responseFormat: { type: 'text' },
  toolChoice: { mode: 'auto' },
  tools: [],
  parallelToolCalls: true,
};
const held = (schema: Record<string, unknown>): GrammarInput => ({
  ...free,
  responseFormat: { type: 'json_schema', schema },
});
const named = (name: string): GrammarInput => held({ type: 'object', properties: { [name]: { type: 'integer' } } });
/** Takes some tens of milliseconds. */
const slow = (salt: string): GrammarInput =>
  held({ type: 'string', pattern: `^${Array.from({ length: 2_000 }, (_, n) => `[a-z]${n % 10}`).join('')}${salt}$` });

const request = (input: GrammarInput, more: Partial<GrammarRequest> = {}): GrammarRequest => ({
  input,
  format: formats.json.spec,
  scope: '',
  signal: new AbortController().signal,
  ...more,
});

test('the grammars are those of the request, with its digits and the order of its names', async () => {
  const compiler = open();
  // as: a JSON object.
  const exact = parseExactJson('{"enum": [12345678901234567890, {"b": 1, "10": 2, "2": 1.0}]}') as Record<
    string,
    unknown
  >;
  const tools = [{ name: 'look', description: null, parameters: exact, strict: true }];
  for (const input of [
    named('a'),
    held(exact),
    { ...free, tools },
    { ...free, responseFormat: { type: 'json_object' } } as const,
  ])
    for (const { spec: format } of [formats.json, formats.xml])
      assert.deepEqual(await compiler.of(request(input, { format })), grammarTexts(input, format));
});

test('a request that cannot be enforced is refused with its field each time that it comes', async () => {
  const compiler = open();
  const impossible: [GrammarInput, string][] = [
    [held({ not: {}, type: 'string' }), 'response_format'],
    [held({ type: 'string', not: { const: 'a' } }), 'response_format'],
    [{ ...free, toolChoice: { mode: 'named', name: 'nothing' } }, 'tool_choice'],
  ];
  for (const [input, param] of [...impossible, ...impossible])
    await assert.rejects(
      compiler.of(request(input)),
      (error) => error instanceof Fault && error.fault === 'invalid_request' && error.options.param === param,
    );
});

test('accounts take turns, however much one of them has sent before', async () => {
  const compiler = open();
  const ended: string[] = [];
  const send = (scope: string, n: number) =>
    compiler.of(request(slow(`${scope}${n}`), { scope })).then(() => ended.push(scope));
  const all = [1, 2, 3, 4].flatMap((n) => [send('a', n), send('b', n)]);
  await Promise.all([...all, send('c', 1), send('c', 2)]);
  assert.deepEqual(ended, ['a', 'b', 'c', 'a', 'b', 'c', 'a', 'b', 'a', 'b']);
});

test('what takes too long is refused, and the next request is served', async () => {
  const compiler = open(1);
  const isTooLarge = (error: unknown) => error instanceof Fault && /too large or too complex/.test(error.message);
  await assert.rejects(compiler.of(request(slow('a'))), isTooLarge);
  await assert.rejects(compiler.of(request(slow('b'))), isTooLarge);
  const patient = open();
  await Promise.all([patient.of(request(slow('a'))), patient.of(request(named('a')))]);
});

test('who leaves while he waits is not waited for', async () => {
  const compiler = open();
  const caller = new AbortController();
  const [first, gone, last] = [
    compiler.of(request(slow('a'))),
    compiler.of(request(slow('b'), { signal: caller.signal })),
    compiler.of(request(named('c'))),
  ];
  caller.abort();
  await assert.rejects(gone, { name: 'AbortError' });
  assert.ok((await first).whole);
  assert.ok((await last).whole);
});

test('who waits while the server stops is told that, and not that his schema is at fault', async () => {
  const compiler = open();
  const isStopping = (error: unknown) => error instanceof Fault && error.fault === 'capacity_unavailable';
  const [running, ...waiting] = ['a', 'b', 'c'].map((salt) => compiler.of(request(slow(salt))));
  // It may come to its end.
  const ended = running?.catch((error: unknown) => assert.ok(isStopping(error)));
  const told = Promise.all(waiting.map((each) => assert.rejects(each, isStopping)));
  await Promise.all([compiler.close(), ended, told]);
  await assert.rejects(compiler.of(request(named('d'))), isStopping);
});
