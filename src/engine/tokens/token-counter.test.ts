import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { EngineModel } from '../port.ts';
import { createTokenCounter, type TokenCounterOptions } from './token-counter.ts';

const folder = mkdtempSync(join(tmpdir(), 'fanfold-counter-'));
after(() => rmSync(folder, { recursive: true }));

const ggufPath = fileURLToPath(new URL('../../../models/tiny-chat/tiny-chat.gguf', import.meta.url));
const model: EngineModel = { id: 'tiny', kind: 'text', ggufPath, maxContextTokens: 4096 };

const counterOf = (options: Partial<TokenCounterOptions> = {}) =>
  createTokenCounter({ models: () => [model], environment: process.env, log: () => {}, ...options });

const inputs = (...texts: string[]) => ({ type: 'inputs' as const, texts });

/** A child that does as its program says. */
function scripted(program: string) {
  const script = join(folder, `${Math.random().toString(36).slice(2)}.ts`);
  writeFileSync(
    script,
    `process.on('disconnect', () => process.exit());
     process.on('message', ({ id, request }: any) => {${program}});
     process.send?.({ type: 'ready' });`,
  );
  return script;
}

test('counts come in the order of the items, however many there are and whoever else asks', async () => {
  const counter = counterOf();
  const items = Array.from({ length: 1_000 }, (_, n) => inputs('lamp '.repeat(n % 50)));
  const [one, other] = await Promise.all([counter.count('tiny', items), counter.count('tiny', items.slice(0, 300))]);
  assert.deepEqual(one.slice(0, 300), other);
  assert.equal(one.length, 1_000);
  for (const [index, { tokens }] of one.entries()) assert.equal(tokens, one[index % 50]?.tokens);
  assert.ok((one[49]?.tokens ?? 0) > (one[1]?.tokens ?? 0));
  await counter.close();
});

test('what was compiled for the child is kept for the next one, although it is killed', async () => {
  const compiled = mkdtempSync(join(folder, 'compiled-'));
  const counter = counterOf({ environment: { ...process.env, NODE_COMPILE_CACHE: compiled } });
  await counter.basis('tiny');
  assert.ok(readdirSync(compiled, { recursive: true }).length > 10);
  await counter.close();
});

test('a model that is not installed, and a file that is none, are told apart', async () => {
  const counter = counterOf({ models: () => [model, { ...model, id: 'broken', ggufPath: join(folder, 'none.gguf') }] });
  await assert.rejects(counter.count('large', [inputs('x')]), { fault: 'model_not_installed' });
  await assert.rejects(counter.count('broken', [inputs('x')]), { fault: 'capacity_unavailable' });
  assert.equal((await counter.count('tiny', [inputs('x')])).length, 1);
  await counter.close();
});

test('a child that dies is replaced, once per question', async () => {
  const counts = `process.send?.({ type: 'response', id, response: { type: 'counted', counts: [{ tokens: 7, longest: 7 }] } })`;
  const flag = join(folder, 'died');
  const once = scripted(
    `const fs = process.getBuiltinModule('node:fs'); if (!fs.existsSync('${flag}')) { fs.writeFileSync('${flag}', ''); process.exit(1); } ${counts}`,
  );
  const counter = counterOf({ script: once });
  assert.deepEqual(await counter.count('tiny', [inputs('x')]), [{ tokens: 7, longest: 7 }]);
  await counter.close();
  const always = counterOf({ script: scripted('process.exit(1)') });
  await assert.rejects(always.count('tiny', [inputs('x')]), { fault: 'capacity_unavailable' });
  await always.close();
});

test('texts that a child crashed at are refused and not tried again; those of others are', async () => {
  const log = join(folder, 'asked');
  const answers = `process.send?.({ type: 'response', id, response: { type: 'counted', counts: [{ tokens: 7, longest: 7 }] } })`;
  const program = `const [text] = JSON.parse(request.items)[0].texts;
    process.getBuiltinModule('node:fs').appendFileSync('${log}', text); if (text === 'x') process.abort(); ${answers}`;
  const counter = counterOf({ script: scripted(program) });
  const refused = counter.count('tiny', [inputs('x')]);
  const others = counter.count('tiny', [inputs('y')]);
  await assert.rejects(refused, { fault: 'invalid_request' });
  assert.deepEqual(await others, [{ tokens: 7, longest: 7 }]);
  assert.equal(readFileSync(log, 'utf8'), 'xy');
  await counter.close();
});

test('a child that falls silent is given up', async () => {
  const counter = counterOf({ script: scripted(''), timeoutMs: 300 });
  await assert.rejects(counter.count('tiny', [inputs('x')]), { fault: 'capacity_unavailable' });
  await counter.close();
});

test('a child that has nothing to do goes, and another one comes when it has', async () => {
  const counter = counterOf({ idleMs: 50 });
  const [first] = await counter.count('tiny', [inputs('red lamp')]);
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.deepEqual(await counter.count('tiny', [inputs('red lamp')]), [first]);
  await counter.close();
  await assert.rejects(counter.count('tiny', [inputs('x')]), { fault: 'capacity_unavailable' });
});

test('whoever has gone is not counted for', async () => {
  const counter = counterOf();
  const gone = AbortSignal.abort(new Error('gone'));
  await assert.rejects(counter.count('tiny', [inputs('x')], gone), /gone/);
  await counter.close();
});
