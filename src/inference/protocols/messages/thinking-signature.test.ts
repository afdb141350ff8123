import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#test/properties.ts';
import { signatures } from './messages.fixture.ts';
import { createThinkingSignatures } from './thinking-signature.ts';

const foreign = createThinkingSignatures(Buffer.from('another secret'));

test('a thought that was signed or sealed here is read, and no other', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (thought, other) => {
      const thinking = thought.toWellFormed();
      const [signature, seal] = [signatures.sign(thinking), signatures.seal(thinking)];
      assert.equal(signatures.open({ thinking, signature }), thinking);
      assert.equal(signatures.open({ thinking: '', signature: seal }), thinking);
      assert.equal(foreign.open({ thinking, signature }), null);
      assert.equal(foreign.open({ thinking: '', signature: seal }), null);
      assert.equal(signatures.open({ thinking: `${thinking}x`, signature }), null);
      assert.equal(signatures.open({ thinking, signature: other }), null);
    }),
  );
});

test('a signature with a bit of it changed is none', () => {
  for (const signature of [signatures.sign('Hm.'), signatures.seal('Hm.')])
    for (let at = 4; at < signature.length - 4; at++) {
      const changed = signature.slice(0, at) + (signature[at] === 'A' ? 'B' : 'A') + signature.slice(at + 1);
      assert.equal(signatures.open({ thinking: 'Hm.', signature: changed }), null, changed);
    }
  for (const signature of ['', 'fs1.', 'fe1.', 'fe1.AAAA', 'EqQBCkYIARgCKkDx'])
    assert.equal(signatures.open({ thinking: 'Hm.', signature }), null);
});
