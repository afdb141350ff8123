import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { cpuMsOf } from '#test/cpu-time.ts';
import { fc } from '#test/properties.ts';
import { bearerDigest, keyPattern, mintKey } from './key.ts';

const fixed = (byte: number) => () => Buffer.alloc(32, byte);

const ofKey = (key: string) => bearerDigest({ authorization: `Bearer ${key}` });

test('a key has the published form and carries all 256 random bits', () => {
  assert.equal(mintKey(fixed(0)).key.slice(0, 47), `fnf_${'0'.repeat(43)}`);
  for (const byte of [0, 1, 127, 255]) assert.match(mintKey(fixed(byte)).key, keyPattern);
  const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
  fc.assert(
    fc.property(bytes, bytes, (a, b) => {
      const [first, second] = [a, b].map((it) => mintKey(() => Buffer.from(it)).key);
      assert.equal(first === second, Buffer.compare(a, b) === 0);
    }),
  );
});

test('what is kept of a key is its SHA-256, eight characters of the start and four of the end', () => {
  const { key, digest, mask } = mintKey();
  assert.deepEqual(digest, createHash('sha256').update(key).digest());
  assert.deepEqual(mask, { maskedPrefix: key.slice(0, 8), lastFour: key.slice(-4) });
  assert.equal(ofKey(key), digest.toString('hex'));
});

test('a key with any character changed is told from a real one without the database', () => {
  const { key } = mintKey();
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_- ';
  for (let at = 0; at < key.length; at++)
    for (const character of alphabet)
      if (character !== key[at]) assert.equal(ofKey(key.slice(0, at) + character + key.slice(at + 1)), null);
  for (const other of [key.slice(1), key.slice(0, -1), `${key}0`, key.toUpperCase(), `${key}\n`, ''])
    assert.equal(ofKey(other), null, other);
});

test('of a hundred thousand random look-alikes none passes the checksum by chance', () => {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const character = fc.constantFrom(...alphabet);
  const lookAlike = fc.array(character, { minLength: 49, maxLength: 49 }).map((it) => `fnf_${it.join('')}`);
  for (const text of fc.sample(lookAlike, { numRuns: 100_000, seed: 1 })) assert.equal(ofKey(text), null);
});

test('the key is found behind the scheme in any case and any number of spaces, and nowhere else', () => {
  const { key, digest } = mintKey();
  for (const authorization of [`Bearer ${key}`, `bearer ${key}`, `BEARER   ${key}`])
    assert.equal(bearerDigest({ authorization }), digest.toString('hex'), authorization);
  const refused = [
    undefined,
    '',
    key,
    'Bearer',
    'Bearer ',
    `Bearer${key}`,
    `Basic ${key}`,
    `Bearer ${key}, Bearer ${key}`,
    `Bearer ${key} x`,
    `xBearer ${key}`,
    `Bearer\t${key}`,
  ];
  for (const authorization of refused)
    assert.equal(bearerDigest(authorization === undefined ? {} : { authorization }), null, authorization);
});

test('megabytes of almost a key are refused in no time', () => {
  const ms = cpuMsOf(() => {
    assert.equal(bearerDigest({ authorization: `Bearer ${' '.repeat(1_000_000)}fnf_` }), null);
    assert.equal(bearerDigest({ authorization: `Bearer fnf_${'a'.repeat(1_000_000)}` }), null);
  });
  // What looks at each letter again for each letter would take minutes.
  assert.ok(ms < 500, `${ms} ms`);
});
