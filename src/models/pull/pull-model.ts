import { mkdir, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ContextChoice, ModelPlanner } from '#engine';
import { addModel } from '../add-model.ts';
import type { HubFileSource } from '../catalogue.ts';
import { inOneLine, ModelError } from '../model-error.ts';
import type { ModelsService } from '../models-service.ts';
import { changeOfFiles, firstPath } from '../registered-files.ts';
import { type RegistryEntry, readRegistry, syncFolder } from '../registry.ts';
import { pulledFolder, withPullLock } from '../remove-model.ts';
import { type ChosenVariant, chooseVariant } from './choose-variant.ts';
import { partialPathOf } from './download.ts';
import { fetchFiles } from './fetch-files.ts';
import { type HubListing, listFiles } from './hub-listing.ts';
import { findVariants, type HubVariant, variantsOf } from './hub-variants.ts';
import { chooseId, findTarget, type PullTarget } from './pull-target.ts';
import { type HubAccess, stoppedOr, type TransferOptions, transferOptions } from './transfer-options.ts';

export type PullModelOptions = HubAccess & {
  /** An id of the catalogue, or a model of the hub: see `readHubReference`. */
  model: string;
  /** What the model is called here. Default: the name of its repository. */
  id?: string | undefined;
  revision?: string | undefined;
  force?: boolean | undefined;
  /** One line before the transfer: which file, how large it is, and whether it fits. */
  onChosen?: ((line: string) => void) | undefined;
  planner?: ModelPlanner | undefined;
  nowMs?: number | undefined;
};

export type PulledReport =
  | { outcome: 'already_installed'; id: string; path: string }
  | { outcome: 'pulled'; id: string; path: string; sizeBytes: number; sha256: string; choice: ContextChoice | null };

/**
 * Fetches a model into the data folder, checks it and registers it; a running server serves it within a second. Throws
 * `ModelError` with one line.
 */
export function pullModel(models: ModelsService, options: PullModelOptions): Promise<PulledReport> {
  return inOneLine(async () => {
    const transfer = transferOptions(options);
    try {
      return await choosePull({
        models,
        options,
        transfer,
        target: findTarget(models, options, transfer.hub.endpoint),
      });
    } catch (error) {
      throw stoppedOr(error, options.signal);
    }
  });
}

type Request = { models: ModelsService; options: PullModelOptions; transfer: TransferOptions; target: PullTarget };

async function choosePull(request: Request): Promise<PulledReport> {
  const { models, options, transfer, target } = request;
  const known = options.force ? null : installedOf(models, target);
  if (known) return known;
  const { repo, revision } = target;
  const listing = await listFiles(transfer.hub, { repo, revision }, transfer);
  const candidates = findVariants(variantsOf(listing.files), target);
  const { planner } = options;
  const chosen = await chooseVariant(transfer, { repo, listing }, { candidates, planner });
  const { id, listed } = chooseId(models, { target, variant: chosen.variant, force: options.force });
  if (listed) checkListed(chosen.variant, listed.source);
  return await withPullLock(models, id, async () => {
    const entry = readRegistry(models.registryPath).entries.get(id);
    const isSame = entry?.hub?.commit === listing.commit && entry.hub.file === chosen.variant.name;
    if (isSame && !options.force && changeOfFiles(entry.files) === null) return reportOf(id, entry);
    options.onChosen?.(chosen.reason);
    return await fetchAndRegister(request, { id, listing, chosen });
  });
}

/** What the request names without a look at the hub, where it is installed and whole. */
function installedOf({ registryPath }: ModelsService, target: PullTarget): PulledReport | null {
  if (!target.isAnyForm) return null;
  for (const [id, entry] of readRegistry(registryPath).entries) {
    const isNamed = target.id === null || target.id === id;
    const isSame = entry.hub?.repo === target.repo || target.isKnownId;
    if (isNamed && isSame && changeOfFiles(entry.files) === null) return reportOf(id, entry);
  }
  return null;
}

function reportOf(id: string, { files }: RegistryEntry): PulledReport {
  return { outcome: 'already_installed', id, path: firstPath(files) };
}

type Pull = { id: string; listing: HubListing; chosen: ChosenVariant };

async function fetchAndRegister({ models, options, transfer, target }: Request, pull: Pull): Promise<PulledReport> {
  const { id, listing } = pull;
  const { variant, kind } = pull.chosen;
  const { repo, revision } = target;
  const { commit, license } = listing;
  const folder = pulledFolder(models, id);
  await mkdir(folder, { recursive: true });
  await removeOtherParts(folder, variant, commit);
  const paths = await fetchFiles({ ...transfer, repo, commit, folder, isAnew: options.force ?? false }, variant.files);
  const [path = ''] = paths;
  const hub = { repo, revision, commit, file: variant.name };
  const origin = { hub, digests: digestsOf(variant, paths), license };
  const { nowMs, planner } = options;
  const added = await addModel(models, { id, kind, ggufPath: path, force: true, origin, planner, nowMs }).catch(
    async (error: unknown) => {
      // Files that are not the model of the catalogue, or none that can be served, go again.
      if (error instanceof ModelError) for (const each of paths) await rm(each, { force: true });
      throw error;
    },
  );
  await syncFolder(folder);
  for (const warning of added.warnings) transfer.onNote(warning);
  await removeOthers(folder, paths);
  const { sha256, choice } = added;
  return { outcome: 'pulled', id, path, sizeBytes: variant.sizeBytes, sha256, choice };
}

/** The digests that were compared with the files. */
function digestsOf({ files }: HubVariant, paths: readonly string[]): Map<string, string> {
  const digests = new Map<string, string>();
  for (const [index, path] of paths.entries()) {
    const digest = files[index]?.digest;
    if (digest?.algorithm === 'sha256') digests.set(path, digest.value);
  }
  return digests;
}

function checkListed({ files: [file] }: HubVariant, source: HubFileSource): void {
  const other = 'The hub has another file than the catalogue:';
  if (source.sha256 !== null && source.sha256 !== file.digest.value)
    throw new ModelError(`${other} digest ${file.digest.value}, not ${source.sha256}.`);
  if (source.sizeBytes !== null && source.sizeBytes !== file.sizeBytes)
    throw new ModelError(`${other} ${file.sizeBytes} bytes, not ${source.sizeBytes}.`);
}

/** Parts of files of another commit, which nothing will complete. */
async function removeOtherParts(folder: string, { files }: HubVariant, commit: string): Promise<void> {
  const partial = files.map(({ name }) => partialPathOf(join(folder, basename(name)), commit));
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (name.endsWith('.partial') && !partial.includes(path)) await rm(path, { force: true });
  }
}

/** What an earlier pull of the same id has left. */
async function removeOthers(folder: string, paths: readonly string[]): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (!paths.includes(path)) await rm(path, { recursive: true, force: true });
  }
}
