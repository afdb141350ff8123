import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { smallShape, writeRandomModel } from '#test/random-model.ts';
import type { ChatPrompt, Sampling } from '../port.ts';
import { ChildDriver, smallConfig, userPrompt } from './child-driver.fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'fanfold-samplers-'));
const ggufPath = join(folder, 'text.gguf');
writeRandomModel(ggufPath, { shape: smallShape, seed: 1, kind: 'text', spread: 0.2, ends: false });
after(() => rmSync(folder, { recursive: true }));

const drawn = { temperature: 1, seed: 42 };
const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'], additionalProperties: false };
const json: Partial<ChatPrompt> = { responseFormat: { type: 'json_schema', schema } };
const requests: [Partial<ChatPrompt>, Partial<Sampling>][] = [
  [{}, drawn],
  [{}, { ...drawn, topP: 0.5 }],
  [{}, { ...drawn, topK: 3 }],
  [json, { ...drawn, topK: 3, topP: 0.5 }],
  [{}, { ...drawn, minP: 0.2 }],
  [{}, { ...drawn, repetitionPenalty: 1.8 }],
  [json, { ...drawn, repetitionPenalty: 1.8, logitBias: [{ token: 70, bias: 5 }] }],
  [{}, { ...drawn, logitBias: [{ token: 70, bias: 5 }] }],
  [{}, { ...drawn, presencePenalty: 1.5, frequencyPenalty: 1 }],
  [json, drawn],
  [json, { ...drawn, presencePenalty: 1.5, frequencyPenalty: 1 }],
  [{}, { temperature: 0 }],
];

test('a request is answered as by a model that was just started, whatever has run before it', async (t) => {
  const start = async () => {
    const child = await ChildDriver.start({ ...smallConfig, ggufPath });
    t.after(() => child.stop());
    let scopes = 0;
    // Of a scope of its own, so that nothing of its prompt is there yet.
    return async ([prompt, sampling]: (typeof requests)[number]) =>
      (await child.write(userPrompt('one', prompt), sampling, `scope ${scopes++}`)).content;
  };
  const first: string[] = [];
  for (const request of requests) first.push(await (await start())(request));
  assert.ok(new Set(first).size > 3, 'the requests differ');
  const write = await start();
  for (const step of [1, 5])
    for (let n = 0, at = 0; n < requests.length; n++, at = (at + step) % requests.length)
      assert.equal(await write(requests[at] ?? assert.fail()), first[at]);
});
