import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#test/properties.ts';
import { ModelError } from '../model-error.ts';
import { readHubReference } from './hub-reference.ts';

const endpoint = 'https://huggingface.co';
const word = fc.stringMatching(/^[a-zA-Z0-9][\w.-]{0,12}$/);
const revision = word;
const quantisation = fc.constantFrom('Q4_K_M', 'q8_0', 'UD-Q4_K_XL', 'bf16', 'IQ3_XXS');
const file = word.map((name) => `${name}.gguf`);

test('every way of writing a reference means the same', () => {
  const host = fc.constantFrom('', 'hf.co/', 'HF.co/', 'huggingface.co/', 'https://huggingface.co/', 'http://hf.co/');
  fc.assert(
    fc.property(host, word, word, fc.option(revision), fc.option(quantisation), (prefix, org, name, at, tag) => {
      const repo = `${org}/${name}`;
      const text = `${prefix}${repo}${at === null ? '' : `@${at}`}${tag === null ? '' : `:${tag}`}`;
      const expected = { repo, revision: at, file: null, quantisation: tag?.toUpperCase() ?? null };
      assert.deepEqual(readHubReference(text, endpoint), expected);
    }),
  );
  fc.assert(
    fc.property(host, word, word, revision, file, (prefix, org, name, at, path) => {
      const repo = `${org}/${name}`;
      const expected = { repo, revision: at, file: path, quantisation: null };
      for (const form of ['blob', 'resolve'])
        assert.deepEqual(readHubReference(`${prefix}${repo}/${form}/${at}/${path}?download=true`, endpoint), expected);
      assert.deepEqual(readHubReference(`${prefix}${repo}@${at}/sub/${path}`, endpoint), {
        ...expected,
        file: `sub/${path}`,
      });
      assert.deepEqual(readHubReference(`${prefix}${repo}@${at}:${path}`, endpoint), expected);
    }),
  );
});

test('any text is an id, a repository of the hub, or one line of refusal', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map((text) => `a/${text}`),
        fc.webUrl(),
      ),
      (text) => {
        try {
          const reference = readHubReference(text, endpoint);
          assert.equal(reference === null, !text.includes('/'));
          if (reference) assert.match(reference.repo, /^[\w-][\w.-]*\/[\w-][\w.-]*$/);
        } catch (error) {
          assert.ok(error instanceof ModelError, String(error));
          assert.match(error.message, /^[^\n]+$/);
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('the host of another hub is that of its endpoint', () => {
  const own = 'http://hub.local:8080/mirror';
  assert.equal(readHubReference('http://hub.local:8080/org/repo', own)?.repo, 'org/repo');
  assert.throws(() => readHubReference('http://other.local/org/repo', own), /is not an address of hub\.local:8080/);
  assert.throws(() => readHubReference('org/repo/model.bin', own), /not a GGUF file/);
  assert.throws(() => readHubReference('../../etc', own), /names no model of a hub/);
});
