import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { addModel } from '#models';
import { smallShape, writeRandomModel } from '#test/random-model.ts';
import { openStage, type Stage } from './stage.ts';

/** A stage with a model `endless`, whose answers end at their limit only. */
export async function openEndlessStage(): Promise<Stage> {
  const stage = await openStage();
  const folder = await mkdtemp(join(tmpdir(), 'fanfold-endless-'));
  const ggufPath = join(folder, 'endless.gguf');
  const shape = { ...smallShape, contextTokens: 65_536 };
  writeRandomModel(ggufPath, { shape, seed: 7, kind: 'text', spread: 0.3, ends: false });
  await addModel(stage.app.models, { id: 'endless', kind: 'text', ggufPath, contextTokens: 65_536 });
  while (!stage.app.models.find('endless')) await sleep(20);
  return {
    ...stage,
    close: async () => {
      await stage.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
