import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { type PackedFile, packFiles } from './adapter-archive.ts';

const file = (name: string, content: string): PackedFile => ({
  name,
  sizeBytes: Buffer.byteLength(content),
  open: async () => Readable.from([Buffer.from(content)]),
});
const files = [file('adapter_config.json', '{}'), file('adapter_model.safetensors', 'x'.repeat(300_000))];

/** Names and contents by the list at the end of the archive, as every reader of archives takes them. */
function unpack(zip: Buffer): Record<string, string> {
  const end = zip.length - 22;
  assert.equal(zip.readUInt32LE(end), 0x06054b50);
  let at = zip.readUInt32LE(end + 16);
  const found: Record<string, string> = {};
  for (let i = 0; i < zip.readUInt16LE(end + 10); i++) {
    assert.equal(zip.readUInt32LE(at), 0x02014b50);
    assert.equal(zip.readUInt16LE(at + 10), 0, 'nothing is compressed');
    const [size, nameBytes, place] = [zip.readUInt32LE(at + 20), zip.readUInt16LE(at + 28), zip.readUInt32LE(at + 42)];
    const start = place + 30 + zip.readUInt16LE(place + 26) + zip.readUInt16LE(place + 28);
    const name = zip.subarray(at + 46, at + 46 + nameBytes).toString();
    found[name] = zip.subarray(start, start + size).toString();
    at += 46 + nameBytes + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return found;
}

test('an archive holds its files, and the same files give the same bytes', async () => {
  const once = await buffer(packFiles(files));
  assert.deepEqual(Object.keys(unpack(once)), ['adapter_config.json', 'adapter_model.safetensors']);
  assert.equal(unpack(once)['adapter_model.safetensors'], 'x'.repeat(300_000));
  assert.deepEqual(await buffer(packFiles(files)), once);
});

test('a file that is gone, breaks off or has another size ends the archive with an error', async () => {
  const gone = { ...file('a', 'x'), open: () => Promise.reject(new Error('gone')) };
  await assert.rejects(buffer(packFiles([gone])), /gone/);
  const broken = new Readable({ read: () => {} });
  setImmediate(() => broken.destroy(new Error('broken off')));
  await assert.rejects(buffer(packFiles([{ ...file('a', 'x'), open: async () => broken }])), /broken off/);
  await assert.rejects(buffer(packFiles([{ ...file('a', 'xyz'), sizeBytes: 2 }])), /unexpected number of bytes/);
});
