import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Type } from 'typebox';
import { Check } from 'typebox/schema';
import { systemCodeOf } from '#kernel';
import { inOneLine, ModelError } from '../model-error.ts';
import type { ModelsService } from '../models-service.ts';
import { syncFolder } from '../registry.ts';
import {
  holdsWeights,
  hubWeightsFolder,
  singleWeights,
  weightsDraft,
  weightsIndex,
  weightsManifest,
  withWeightsLock,
} from '../weights.ts';
import { fetchFile, fetchFiles } from './fetch-files.ts';
import { type HubListing, type ListedFile, listFiles, parseJson } from './hub-listing.ts';
import { type HubAccess, stoppedOr, transferOptions } from './transfer-options.ts';

export type PullWeightsOptions = HubAccess & {
  id: string;
  force?: boolean | undefined;
};

export type PulledWeights =
  | { outcome: 'already_installed'; id: string; folder: string }
  | { outcome: 'pulled'; id: string; folder: string; commit: string; sizeBytes: number };

/**
 * Fetches what training on a catalogue entry needs: configuration, tokenizer and safetensors files. They gather in a
 * folder beside and appear all at once, checked. Throws `ModelError` with one line.
 */
export function pullWeights(models: ModelsService, options: PullWeightsOptions): Promise<PulledWeights> {
  return inOneLine(async () => {
    const { id, signal } = options;
    const source = findWeightsSource(models, id);
    const folder = hubWeightsFolder(models.registryPath, id);
    const draft = weightsDraft(folder);
    await mkdir(dirname(folder), { recursive: true });
    return await withWeightsLock(folder, async () => {
      if (!options.force && (await isWhole(folder))) return { outcome: 'already_installed', id, folder };
      try {
        return await fetchAll({ id, source, folder, draft, options });
      } catch (error) {
        throw stoppedOr(error, signal);
      }
    });
  });
}

type Source = { repo: string; revision: string };
type Pull = { id: string; source: Source; folder: string; draft: string; options: PullWeightsOptions };

/** Throws `ModelError` where there are none to pull. */
export function findWeightsSource({ catalogue, find }: ModelsService, id: string): Source {
  const weights = catalogue.training.get(id)?.weights;
  if (weights?.type === 'hub') return weights;
  if (weights) throw new ModelError(`The weights of ${id} ship with Fanfold; there is nothing to pull.`);
  if (find(id)) throw new ModelError(`The catalogue names no weights to train ${id} on.`);
  const ids = [...catalogue.training].flatMap(([other, entry]) => (entry.weights.type === 'hub' ? [other] : []));
  throw new ModelError(
    `The catalogue has no model ${JSON.stringify(id.slice(0, 80))} with weights to pull; it has ${ids.join(', ')}.`,
  );
}

const Manifest = Type.Object({
  repo: Type.String(),
  commit: Type.String(),
  files: Type.Array(Type.Object({ name: Type.String(), size_bytes: Type.Integer() })),
});

async function isWhole(folder: string): Promise<boolean> {
  if (!holdsWeights(folder)) return false;
  const path = join(folder, weightsManifest);
  if (!(await stat(path).catch(() => null))) return true;
  const manifest = await readJson(path);
  if (!Check(Manifest, manifest)) return false;
  const sizes = await Promise.all(
    manifest.files.map(({ name }) => stat(join(folder, basename(name))).catch(() => null)),
  );
  return manifest.files.every(({ size_bytes: size }, index) => sizes[index]?.size === size);
}

async function fetchAll({ id, source, folder, draft, options }: Pull): Promise<PulledWeights> {
  const transfer = transferOptions(options);
  const listing = await listFiles(transfer.hub, source, transfer);
  await mkdir(draft, { recursive: true });
  const pull = { ...transfer, repo: source.repo, commit: listing.commit, folder: draft, isAnew: false };
  const describing = describingFiles(listing, source.repo);
  for (const file of describing) await fetchFile({ ...pull, onProgress: () => {} }, file);
  const weights = await weightFiles(listing, draft, source.repo);
  await fetchFiles(pull, weights);
  const files = [...describing, ...weights];
  const sizeBytes = await putInPlace({ id, source, folder, draft, commit: listing.commit }, files);
  return { outcome: 'pulled', id, folder, commit: listing.commit, sizeBytes };
}

type Made = Omit<Pull, 'options'> & { commit: string };

/** Makes the draft the folder of the weights, whole. A death in between leaves the draft whole, for the next pull. */
async function putInPlace({ id, source, folder, draft, commit }: Made, fetched: ListedFile[]): Promise<number> {
  const names = new Set(fetched.map(({ name }) => name));
  for (const name of await readdir(draft)) {
    if (!names.has(name)) await rm(join(draft, name), { recursive: true, force: true });
  }
  const files = await Promise.all(
    [...names].map(async (name) => ({ name, size_bytes: (await stat(join(draft, name))).size })),
  );
  const manifest = { repo: source.repo, revision: source.revision, commit, files };
  await writeFile(join(draft, weightsManifest), `${JSON.stringify(manifest, null, 2)}\n`, { flush: true });
  await syncFolder(draft);
  const former = join(dirname(folder), `.${id}.former`);
  await rm(former, { recursive: true, force: true });
  await rename(folder, former).catch((error: unknown) => {
    if (systemCodeOf(error) !== 'ENOENT') throw error;
  });
  await rename(draft, folder);
  await syncFolder(dirname(folder));
  await rm(former, { recursive: true, force: true });
  return files.reduce((sum, { size_bytes: size }) => sum + size, 0);
}

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

function describingFiles({ files }: HubListing, repo: string): ListedFile[] {
  if (!files.has('config.json'))
    throw new ModelError(`${repo} has no config.json; it is no model that can be trained.`);
  return descriptions.flatMap((name) => files.get(name) ?? []);
}

const Config = Type.Object({ model_type: Type.String(), auto_map: Type.Optional(Type.Never()) });
const Index = Type.Object({ weight_map: Type.Record(Type.String(), Type.String()) });

async function weightFiles({ files }: HubListing, folder: string, repo: string): Promise<ListedFile[]> {
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
  return parseJson(await readFile(path, 'utf8').catch(() => ''));
}
