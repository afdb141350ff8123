import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { addModel } from '#models';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { type Program, patiently, startProgram } from '#test/program.ts';
import { pythonEnvironment } from '#test/python-environment.ts';
import { writeRandomReranker } from '#test/random-reranker.ts';
import { openShippedModels } from '#test/shipped-models.ts';
import { root } from '#test/source-tree.ts';

const run = promisify(execFile);

let database: TestDatabase;
let program: Program;

before(async () => {
  database = await createTestDatabase();
  program = await startProgram({ databaseUrl: database.url });
});

after(async () => {
  await program?.stop();
  await database?.drop();
});

test("Cohere's client for Python gets answers, streams, calls of tools, JSON and its own errors", async () => {
  const folder = join(root, 'test/support/cohere');
  const bin = await pythonEnvironment('cohere', join(folder, 'requirements.txt'), '--no-deps');
  const base = `${program.url}/api/projects/local/chat/cohere`;
  const { stdout } = await run(join(bin, 'python'), [join(folder, 'ask.py'), base, program.key ?? '']);
  const { text, streamed, tokens, stop, ...others } = JSON.parse(stdout);
  assert.ok(text.length > 3);
  assert.ok(streamed.length > 3);
  assert.ok(tokens > 0);
  assert.match(stop, /^(COMPLETE|MAX_TOKENS)$/);
  assert.deepEqual(others.events.slice(0, 2), ['message-start', 'message-end']);
  assert.deepEqual(others.call, ['get_weather', { city: 'Paris' }, 'TOOL_CALL']);
  assert.equal(others.after, true);
  assert.deepEqual(others.parsed, { capital: 'Paris' });
  assert.deepEqual(others.errors, [
    [404, 'model_not_found'],
    [400, 'invalid_request'],
  ]);
});

test("Cohere's client for Python reranks", async () => {
  const folder = join(root, 'test/support/cohere');
  const bin = await pythonEnvironment('cohere', join(folder, 'requirements.txt'), '--no-deps');
  const ggufPath = join(program.dataDir, 'reranker.gguf');
  writeRandomReranker(ggufPath);
  await addModel(openShippedModels(program.dataDir), { id: 'ranker', kind: 'reranker', ggufPath });
  const project = `${program.url}/api/projects/local/search`;
  const headers = { authorization: `Bearer ${program.key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ model: 'ranker', query: 'red lamp', documents: ['9'] });
  // The running server looks for new models now and then.
  await patiently(async () => {
    const response = await fetch(`${project}/openai/v1/rerank`, { method: 'POST', headers, body });
    return response.status === 404 ? new Response(null, { status: 503 }) : response;
  });
  const script = [join(folder, 'rerank.py'), `${project}/cohere`, program.key ?? '', 'ranker'];
  const { results, units, refused } = JSON.parse((await run(join(bin, 'python'), script)).stdout);
  assert.equal(results.length, 2);
  assert.ok(results[0][1] > results[1][1] && results[0][1] < 1, `${results}`);
  assert.deepEqual([units, refused], [1, [400, 'documents']]);
});
