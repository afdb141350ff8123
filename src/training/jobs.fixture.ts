import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scriptedTrainer, startTraining } from './training.fixture.ts';

export const examples = Array.from({ length: 12 }, (_, n) => ({
  text: {
    messages: [
      { role: 'user', content: `Say ${n}` },
      { role: 'assistant', content: `It is ${n}.` },
    ],
  },
  split: n < 11 ? 'train' : 'test',
}));

/** The wired program with the trainer that follows a script, and an owner with examples; what the seed is says what happens. */
export async function openJobs() {
  const trainer = await scriptedTrainer();
  const dataDir = await mkdtemp(join(tmpdir(), 'fanfold-jobs-'));
  const server = await startTraining({
    dataDir,
    settings: { FANFOLD_TRAINING_PYTHON: trainer.program, FANFOLD_TRAINING_SLOTS: '4', FANFOLD_ENGINE_THREADS: '1' },
  });
  const close = async () => {
    await server.stop();
    await trainer.remove();
    await rm(dataDir, { recursive: true, force: true });
  };

  const ada = await server.person();
  const jobs = `${ada.project}/training-jobs`;
  const datasetId = await ada.dataset(examples);
  const wanted = (hyperparameters: object = {}, more: object = {}) => ({
    base_model: 'fanfold-tiny-chat',
    dataset_id: datasetId,
    hyperparameters,
    ...more,
  });
  const make = (seed: number, steps: number) => ada.ok('POST', jobs, wanted({ seed, max_steps: steps }));
  return { server, dataDir, close, ada, jobs, wanted, make };
}
