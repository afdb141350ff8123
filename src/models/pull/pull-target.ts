import { nearestName } from '#kernel';
import { modelIdPattern } from '../base-model.ts';
import type { CatalogueEntry, HubFileSource } from '../catalogue.ts';
import { ModelError } from '../model-error.ts';
import type { ModelsService } from '../models-service.ts';
import { type RegistryEntry, readRegistry } from '../registry.ts';
import { readHubReference } from './hub-reference.ts';
import type { HubVariant } from './hub-variants.ts';

/** What is to be pulled, as far as the request and the catalogue say. */
export type PullTarget = {
  repo: string;
  revision: string;
  file: string | null;
  quantisation: string | null;
  /** What it is to be called here; null: as its repository. */
  id: string | null;
  /** Whether the id says what it is: one of the catalogue, or of a model that was pulled before. */
  isKnownId: boolean;
  /** Whether any form of it will do that is installed. */
  isAnyForm: boolean;
};

type Request = { model: string; id?: string | undefined; revision?: string | undefined };

/** Throws `ModelError` for what names no model that can be pulled. */
export function findTarget(models: ModelsService, request: Request, endpoint: string): PullTarget {
  if (request.id !== undefined && !modelIdPattern.test(request.id)) {
    const characters = 'lower-case letters, digits, ".", "_" and "-", at most 63';
    throw new ModelError(`--id must be ${characters}, and ${shown(request.id)} is not.`);
  }
  const reference = readHubReference(request.model, endpoint);
  if (!reference) return targetOfId(models, request);
  const { revision: given, ...named } = reference;
  if (given !== null && request.revision !== undefined && given !== request.revision)
    throw new ModelError(`--revision says ${shown(request.revision)} and the model ${shown(given)}; give one of them.`);
  const revision = request.revision ?? given;
  return {
    ...named,
    revision: revision ?? 'main',
    id: request.id ?? null,
    isKnownId: false,
    isAnyForm: named.file === null && named.quantisation === null && revision === null,
  };
}

/** What an id stands for, with a quantisation behind a colon where the id leaves it open. */
function targetOfId(models: ModelsService, request: Request): PullTarget {
  const [name = '', tag] = request.model.split(':', 2);
  const quantisation = tag?.toUpperCase() ?? null;
  const { catalogue } = models;
  const id = request.id ?? name;
  const isKnownId = id === name;
  const listed = catalogue.entries.find((entry) => entry.id === name);
  if (listed) {
    const { source } = listed;
    if (source.type === 'shipped') throw new ModelError(`${name} ships with Fanfold; there is nothing to pull.`);
    const { repo, revision, file } = source;
    if (quantisation !== null || request.revision !== undefined) {
      const instead = `${repo}${request.revision === undefined ? '' : `@${request.revision}`}${tag ? `:${tag}` : ''}`;
      throw new ModelError(`The catalogue says which file ${name} is; for another one name its repository: ${instead}`);
    }
    return { repo, revision, file, quantisation, id, isKnownId, isAnyForm: isKnownId };
  }
  const known = catalogue.library.find((entry) => entry.id === name);
  const isAnyForm = isKnownId && quantisation === null && request.revision === undefined;
  const revision = request.revision ?? 'main';
  if (known) return { repo: known.repo, revision, file: null, quantisation, id, isKnownId, isAnyForm };
  const hub = readRegistry(models.registryPath).entries.get(name)?.hub;
  if (!hub) throw noSuchModel(models, name);
  const file = quantisation === null ? hub.file : null;
  return { repo: hub.repo, revision: request.revision ?? hub.revision, file, quantisation, id, isKnownId, isAnyForm };
}

function noSuchModel({ catalogue }: ModelsService, name: string): ModelError {
  const ids = [...pullable(catalogue.entries), ...catalogue.library].map((entry) => entry.id);
  const nearest = nearestName(name, ids);
  const guess = nearest === null ? '' : ` Did you mean ${nearest}?`;
  const what = `The catalogue has no model ${shown(name)} to pull.${guess}`;
  const look = 'fanfold models catalogue lists those it has, fanfold models search WORD those of the hub.';
  return new ModelError(`${what} ${look}`, { inRequest: `${what} Search the hub for others.` });
}

function pullable(entries: readonly CatalogueEntry[]): CatalogueEntry[] {
  return entries.filter(({ source }) => source.type === 'hub');
}

export type PulledId = {
  id: string;
  /** The entry of the catalogue, where the file is the one that it names. */
  listed: (CatalogueEntry & { source: HubFileSource }) | null;
};

/**
 * The id that a model gets: the one that was asked for, else the name of its repository, with its quantisation where this
 * name is taken. Throws `ModelError` where the id is that of another model.
 */
export function chooseId(
  models: ModelsService,
  { target, variant, force = false }: { target: PullTarget; variant: HubVariant; force?: boolean | undefined },
): PulledId {
  const ids = target.id === null ? idsOf(target.repo, variant) : [target.id];
  const entries = readRegistry(models.registryPath).entries;
  let canReplace = false;
  for (const id of ids) {
    const listed = models.catalogue.entries.find((entry) => entry.id === id);
    if (listed) {
      const { source } = listed;
      const { repo, revision } = target;
      if (source.type !== 'hub' || source.repo !== repo || source.revision !== revision || source.file !== variant.name)
        continue;
      return { id, listed: { ...listed, source } };
    }
    const entry = entries.get(id);
    if (!entry || isOf(entry, target, variant) || target.isKnownId || (target.id === id && force))
      return { id, listed: null };
    canReplace = target.id === id;
  }
  const what = `${ids.join(' and ')} ${ids.length > 1 ? 'are' : 'is'} another model here`;
  throw new ModelError(`${what}; choose another --id${canReplace ? ', or replace it with --force' : ''}.`, {
    inRequest: `${what}; remove ${ids.length > 1 ? 'one of them' : 'it'} first, or choose another id.`,
  });
}

function isOf({ hub }: RegistryEntry, { repo }: PullTarget, { name }: HubVariant): boolean {
  return hub?.repo === repo && hub.file === name;
}

/** `Qwen/Qwen3-4B-GGUF`: `qwen3-4b`, else `qwen3-4b-q4_k_m`. */
function idsOf(repo: string, { quantisation }: HubVariant): string[] {
  const name = idText(repo.slice(repo.indexOf('/') + 1).replace(/[-_.]gguf$/i, ''));
  const suffix = quantisation === null ? '' : `-${quantisation.toLowerCase()}`;
  const longest = 63 - suffix.length;
  return suffix === '' ? [name] : [name, name.slice(0, longest) + suffix];
}

function idText(name: string): string {
  const text = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, 63);
  return text === '' ? 'model' : text;
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}
