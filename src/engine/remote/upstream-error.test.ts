import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { Fault } from '#kernel';
import { openai } from './dialects/openai.ts';
import { refusalOf } from './upstream-error.ts';

/** What a refusal comes to, in a word or two. */
async function read(status: number, said: unknown): Promise<string> {
  const body = Readable.from([Buffer.from(typeof said === 'string' ? said : JSON.stringify(said))]);
  const refusal = await refusalOf({ status, headers: {}, body }, { param: 'messages', adapter: null, dialect: openai });
  if (refusal.kind === 'adapter_lost') return refusal.kind;
  if (refusal.kind === 'elsewhere')
    return ['elsewhere', refusal.isDown && 'down', refusal.isLoading && 'loading'].filter(Boolean).join(', ');
  assert.ok(refusal.error instanceof Fault);
  return refusal.error.fault;
}

const openaiError = (code: number, message: string, type = 'server_error') => ({ error: { code, message, type } });

test('what engines say of a prompt that is too long is told to the caller, with whatever status they say it', async () => {
  const vllm = "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.";
  const llama = 'the request exceeds the available context size (4096 tokens), try increasing it';
  const batch =
    'input (600 tokens) is too large to process. increase the physical batch size (current batch size: 512)';
  for (const [status, said] of [
    [400, openaiError(400, vllm, 'BadRequestError')],
    [400, { object: 'error', message: vllm, type: 'BadRequestError', code: 400 }],
    [400, openaiError(400, llama, 'exceed_context_size_error')],
    [500, openaiError(500, llama)],
    [500, openaiError(500, batch)],
    [500, openaiError(500, 'input is too large to process. increase the physical batch size')],
    [413, { error: 'Input validation error: `inputs` must have less than 512 tokens.', error_type: 'Validation' }],
    [422, { detail: [{ msg: 'Field required' }] }],
  ] as const)
    assert.equal(await read(status, said), 'invalid_request', JSON.stringify(said));
});

test('an engine that has failed at its work has failed at this call, and none is called down for it', async () => {
  for (const [status, said] of [
    [424, { error: 'Could not start backend: CUDA error', error_type: 'backend' }],
    [424, { error: 'Request failed during generation: Server error', error_type: 'generation' }],
    [500, openaiError(500, 'Compute error.')],
    [500, 'Internal Server Error'],
    [502, '<html>Bad Gateway</html>'],
  ] as const)
    assert.equal(await read(status, said), 'generation_failed', JSON.stringify(said));
});

test('a call goes elsewhere from an engine without the model, and from a place that only points to another', async () => {
  const missing = [
    [400, { error: 'No models loaded. Please load a model in the developer page.' }],
    [400, openaiError(400, "model 'theirs' not found", 'invalid_request_error')],
    [400, { error: 'Model has been unloaded.' }],
  ] as const;
  for (const [status, said] of missing) assert.equal(await read(status, said), 'elsewhere', JSON.stringify(said));
  for (const [status, said] of [
    [301, '<html>Moved Permanently</html>'],
    [307, ''],
    [401, openaiError(401, 'Invalid API Key', 'authentication_error')],
    [404, openaiError(404, "model 'theirs' not found", 'api_error')],
  ] as const)
    assert.equal(await read(status, said), 'elsewhere, down', JSON.stringify(said));
  assert.equal(await read(503, openaiError(503, 'Loading model', 'unavailable_error')), 'elsewhere, loading');
  assert.equal(await read(429, { error: 'Model is overloaded', error_type: 'overloaded' }), 'elsewhere');
});
