import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeRandomAdapter } from '#test/lora-adapter.ts';
import { smallShape, writeRandomModel } from '#test/random-model.ts';
import type { Adapter } from '../port.ts';
import { smallConfig } from './child-driver.fixture.ts';

const text = { shape: smallShape, seed: 1, kind: 'text', spread: 0.2, ends: false } as const;

/** A text and an embedding model that write anything for as long as they may, and adapters on them, in a folder of their own. */
export function writeSmallModels() {
  const folder = mkdtempSync(join(tmpdir(), 'fanfold-child-'));
  const file = (name: string) => join(folder, name);
  writeRandomModel(file('text.gguf'), text);
  writeRandomModel(file('embed.gguf'), { ...text, seed: 2, kind: 'embedding' });
  const adapter = (name: string, seed: number, spreadOfB: number): Adapter => {
    writeRandomAdapter(file(name), { shape: smallShape, rank: 4, alpha: 8, seed, spreadOfB });
    return { sha256: name, path: file(name) };
  };
  const config = { ...smallConfig, ggufPath: file('text.gguf') };
  return { config, file, adapter, remove: () => rmSync(folder, { recursive: true }) };
}
