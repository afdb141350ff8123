import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fc } from '#test/properties.ts';
import { smallShape, specialTokens, writeRandomModel } from '#test/random-model.ts';
import type { ToolDefinition } from '../port.ts';
import { ChildDriver, finishedOf, smallConfig, userPrompt } from './child-driver.fixture.ts';
import { createCharacterRules } from './vocabulary.ts';

const folder = mkdtempSync(join(tmpdir(), 'fanfold-characters-'));
after(() => rmSync(folder, { recursive: true }));

/** Text, or the beginning of one. */
function isDecodable(bytes: Uint8Array): boolean {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true }) !== null;
  } catch {
    return false;
  }
}

/** As the native grammar divides tokens into characters. */
function areTaken(tokens: readonly Uint8Array[]): boolean {
  let missing = 0;
  for (const bytes of tokens) {
    let at = 0;
    for (; missing > 0 && at < bytes.length; at++, missing--) if ((bytes[at] ?? 0) >> 6 !== 0b10) return false;
    while (at < bytes.length) {
      const lead = bytes[at++] ?? 0;
      if (lead >> 6 === 0b10) return false;
      for (
        missing = lead < 0x80 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
        missing > 0 && at < bytes.length;
        missing--
      )
        at++;
    }
  }
  return true;
}

test('of tokens that the grammar takes for characters, all that are text are allowed, and no others', () => {
  const bounds = [0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xed, 0xef, 0xf0];
  const byte = fc.constantFrom(...bounds, 0xf1, 0xf4, 0xf5, 0xff);
  const token = fc.array(byte, { minLength: 1, maxLength: 5 }).map((bytes) => Uint8Array.from(bytes));
  fc.assert(
    fc.property(fc.array(token, { minLength: 1, maxLength: 4 }), (tokens) => {
      const shown = (at: number) => tokens[at] ?? assert.fail();
      const rules = createCharacterRules({ count: tokens.length, shown, isEnd: () => false });
      const areAllowed = tokens.every((_, at) => !rules.behind(at === 0 ? null : at - 1).keys.includes(at));
      if (isDecodable(Buffer.concat(tokens))) assert.ok(areAllowed);
      else if (areTaken(tokens)) assert.ok(!areAllowed);
    }),
    { numRuns: 5_000 },
  );
});

test('tokens that show nothing are not allowed, but for those that end an answer', () => {
  const rules = createCharacterRules({
    count: 3,
    shown: (at) => new Uint8Array(at === 0 ? 1 : 0),
    isEnd: (at) => at === 1,
  });
  assert.deepEqual([0, 1, 2].map(rules.allows), [true, true, false]);
  assert.deepEqual(Array.from(rules.behind(null).keys), [2]);
});

const many = <Each>(count: number, each: (at: number) => Each) => Array.from({ length: count }, (_, at) => each(at));
const length = { minLength: 2, maxLength: 3 };
const properties = {
  a: { type: 'string', ...length },
  b: { type: 'string', pattern: '^[^a-z]{2,3}$' },
  c: { type: 'string' },
};
const schema = { type: 'object', properties, required: ['a', 'b', 'c'], additionalProperties: false };

/** Counts the answer if it is whole. */
function countFitting(text: string | undefined): number {
  if (text === undefined) return 0;
  const answer: Record<string, string> = JSON.parse(text);
  assert.ok(!text.includes('\ufffd'), text);
  for (const value of [answer.a ?? '', answer.b ?? '']) assert.ok([2, 3].includes([...value].length), text);
  return 1;
}

test('strings of constrained answers and calls are text of the length that was asked for, whatever bytes and control tokens a model draws', async (t) => {
  const ggufPath = join(folder, 'bytes.gguf');
  const control = many(60, (at) => [`<|control${at}|>`, 3] as const);
  const special = [...specialTokens, ...control];
  // Draws nearly evenly from all bytes, control tokens, and few others.
  const shape = { ...smallShape, vocabulary: 340 };
  writeRandomModel(ggufPath, {
    shape,
    seed: 4,
    kind: 'text',
    spread: 0.02,
    ends: true,
    special,
    words: ['\u00e9', '\ud55c'],
  });
  const child = await ChildDriver.start({ ...smallConfig, ggufPath });
  t.after(() => child.stop());
  const tool: ToolDefinition = { name: 'f', description: null, parameters: schema, strict: true };
  let [answers, calls, outside] = [0, 0, 0];
  for (const seed of many(60, Number)) {
    const sampling = { maxTokens: 400, temperature: 1, seed, presencePenalty: (seed % 3) - 1 };
    const answer = await child.write(userPrompt('go', { responseFormat: { type: 'json_schema', schema } }), sampling);
    if (finishedOf(answer).reason === 'stop') answers += countFitting(answer.content);
    if (/[^\0-\x7f]/.test(answer.content)) outside += 1;
    const called = await child.write(userPrompt('go', { tools: [tool], toolChoice: { mode: 'required' } }), sampling);
    for (const delta of called.deltas) if (delta.type === 'tool_call') calls += countFitting(delta.arguments);
  }
  assert.ok(
    answers > 20 && calls > 20 && outside > 20,
    `${answers} answers, ${calls} calls, ${outside} with other characters`,
  );
});
