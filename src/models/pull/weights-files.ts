import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type } from 'typebox';
import { Check } from 'typebox/schema';
import { ModelError } from '../model-error.ts';
import { singleWeights, weightsIndex } from '../weights.ts';
import type { HubListing, ListedFile } from './hub-listing.ts';

/** What describes a model beside its weights, as far as a repository has it. Nothing that would have to be unpickled or run. */
const descriptions = [
  'config.json',
  'generation_config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'tokenizer.model',
  'special_tokens_map.json',
  'added_tokens.json',
  'vocab.json',
  'merges.txt',
  'chat_template.jinja',
  weightsIndex,
];

export function describingFiles({ files }: HubListing, repo: string): ListedFile[] {
  if (!files.has('config.json'))
    throw new ModelError(`${repo} has no config.json; it is no model that can be trained.`);
  return descriptions.flatMap((name) => files.get(name) ?? []);
}

const Config = Type.Object({ model_type: Type.String(), auto_map: Type.Optional(Type.Never()) });
const Index = Type.Object({ weight_map: Type.Record(Type.String(), Type.String()) });

export async function weightFiles({ files }: HubListing, folder: string, repo: string): Promise<ListedFile[]> {
  const config = await readJson(join(folder, 'config.json'));
  if (!Check(Config, config)) {
    throw new ModelError(`${repo} describes a model that needs code of its own, or none; it cannot be trained.`);
  }
  if (!files.has(weightsIndex)) {
    const single = files.get(singleWeights);
    if (single) return [single];
    throw new ModelError(`${repo} has no weights in the safetensors format.`);
  }
  const index = await readJson(join(folder, weightsIndex));
  if (!Check(Index, index)) throw new ModelError(`The ${weightsIndex} of ${repo} is damaged.`);
  const shards = [...new Set(Object.values(index.weight_map))].toSorted();
  return shards.map((name) => {
    const shard = /^[\w-][\w.-]*\.safetensors$/.test(name) ? files.get(name) : undefined;
    if (shard) return shard;
    throw new ModelError(`${repo} lacks the file ${JSON.stringify(name.slice(0, 80))} that its index names.`);
  });
}

/** Null: it is not there, or it is damaged. */
export async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    return null;
  }
}
