import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { checkFactsOfListed, sha256OfFile } from '../add-model.ts';
import type { ModelSource } from '../base-model.ts';
import type { CatalogueEntry } from '../catalogue.ts';
import { checkServable, readGgufFacts } from '../gguf/facts.ts';
import { inOneLine, ModelError } from '../model-error.ts';
import type { ModelsService } from '../models-service.ts';
import { readRegistry, syncFolder, updateRegistry } from '../registry.ts';
import { pulledFolder, withPullLock } from '../remove-model.ts';
import { type DownloadOptions, download, partialPathOf } from './download.ts';
import { type ListedFile, listFiles } from './hub-listing.ts';
import type { TransferProgress } from './transfer-meter.ts';

export type PullModelOptions = {
  id: string;
  /** Base address of the hub. Default `https://huggingface.co`. */
  endpoint?: string | undefined;
  token?: string | null | undefined;
  force?: boolean | undefined;
  /** Ends the transfer; what was fetched stays for the next pull. */
  signal: AbortSignal;
  onProgress?: ((progress: TransferProgress) => void) | undefined;
  /** One line for the person who waits: retries and doubts about the file. */
  onNote?: ((line: string) => void) | undefined;
  /** Waits between attempts, ms. Default: three retries, after 1, 4 and 16 s. */
  retryDelaysMs?: readonly number[] | undefined;
  /** Silence that ends an attempt, ms. Default 30 s. */
  stallMs?: number | undefined;
  freeBytes?: ((folder: string) => Promise<number>) | undefined;
  nowMs?: number | undefined;
};

export type PulledReport =
  | { outcome: 'already_installed'; id: string; path: string }
  | { outcome: 'pulled'; id: string; path: string; sizeBytes: number; sha256: string };

/**
 * Fetches the file of a catalogue entry into the data folder, checks it and registers it; a running server serves it
 * within a second. Throws `ModelError` with one line.
 */
export function pullModel(models: ModelsService, options: PullModelOptions): Promise<PulledReport> {
  return inOneLine(() => lockAndPull(models, options));
}

async function lockAndPull(models: ModelsService, options: PullModelOptions): Promise<PulledReport> {
  const { entry, source } = findPullable(models, options.id);
  const folder = pulledFolder(models, entry.id);
  return await withPullLock(models, entry.id, async () => {
    await mkdir(folder, { recursive: true });
    const path = join(folder, source.file);
    if (!options.force && (await isIntact(models, entry.id))) {
      const installedPath = readRegistry(models.registryPath).entries.get(entry.id)?.file.path ?? path;
      return { outcome: 'already_installed', id: entry.id, path: installedPath };
    }
    try {
      return await fetchAndRegister(models, { entry, source, folder, path, options });
    } catch (error) {
      throw stoppedOr(error, options.signal);
    }
  });
}

/** The error of a pull; where the person stopped it, one that says that it can go on. */
export function stoppedOr(error: unknown, signal: AbortSignal): unknown {
  if (!signal.aborted) return error;
  return new ModelError('Stopped. What was fetched stays, and the next pull goes on from there.', { cause: error });
}

type HubSource = Extract<ModelSource, { type: 'hub' }>;

function findPullable(models: ModelsService, id: string): { entry: CatalogueEntry; source: HubSource } {
  const entry = models.catalogue.entries.find((candidate) => candidate.id === id);
  if (entry?.source.type === 'hub') return { entry, source: entry.source };
  if (entry) throw new ModelError(`${id} ships with Fanfold; there is nothing to pull.`);
  const ids = models.catalogue.entries.flatMap((other) => (other.source.type === 'hub' ? [other.id] : []));
  throw new ModelError(
    `The catalogue has no model ${JSON.stringify(id.slice(0, 80))} to pull; it has ${ids.join(', ')}.`,
  );
}

async function isIntact(models: ModelsService, id: string): Promise<boolean> {
  const file = readRegistry(models.registryPath).entries.get(id)?.file;
  if (!file) return false;
  const found = await stat(file.path).catch(() => null);
  return found?.size === file.size_bytes && Math.trunc(found.mtimeMs) === Math.trunc(file.modified_ms);
}

type Pull = { entry: CatalogueEntry; source: HubSource; folder: string; path: string; options: PullModelOptions };

async function fetchAndRegister(models: ModelsService, pull: Pull): Promise<PulledReport> {
  const { id } = pull.entry;
  const { source, folder, path, options } = pull;
  const transfer = transferOptions(options);
  const { commit, files } = await listFiles(transfer.hub, source, transfer);
  const file = files.get(source.file);
  if (!file) throw new ModelError(`${source.repo} has no file ${source.file} at revision ${source.revision}.`);
  checkListed(file, source);
  await removeOtherParts(folder, partialPathOf(path, commit));
  await download({ ...transfer, repo: source.repo, commit, file, path });
  await checkPulled(pull, transfer.onNote);
  await syncFolder(folder);
  const { mtimeMs, size: sizeBytes } = await stat(path);
  const sha256 = file.digest.algorithm === 'sha256' ? file.digest.value : await sha256OfFile(path);
  await updateRegistry(models.registryPath, id, {
    file: { path, size_bytes: sizeBytes, modified_ms: mtimeMs, sha256 },
    hub_commit: commit,
    installed_at: new Date(options.nowMs ?? Date.now()).toISOString(),
    added: null,
  });
  return { outcome: 'pulled', id, path, sizeBytes, sha256 };
}

function checkListed({ sizeBytes, digest }: ListedFile, source: HubSource): void {
  const other = 'The hub has another file than the catalogue:';
  if (source.sha256 !== null && source.sha256 !== digest.value)
    throw new ModelError(`${other} digest ${digest.value}, not ${source.sha256}.`);
  if (source.sizeBytes !== null && source.sizeBytes !== sizeBytes)
    throw new ModelError(`${other} ${sizeBytes} bytes, not ${source.sizeBytes}.`);
}

/** Parts of a file of another commit, which nothing will complete. */
async function removeOtherParts(folder: string, partialPath: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name.endsWith('.partial') && join(folder, name) !== partialPath) await rm(join(folder, name), { force: true });
}

/** A file that is not the model of the catalogue, or none that can be served, goes again. */
async function checkPulled({ entry, path }: Pull, onNote: (line: string) => void): Promise<void> {
  try {
    const facts = readGgufFacts(path);
    for (const warning of checkServable(facts, entry.kind, basename(path))) onNote(warning);
    checkFactsOfListed(facts, entry, basename(path));
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

export type TransferOptions = Omit<DownloadOptions, 'repo' | 'commit' | 'file' | 'path' | 'whole'>;

export function transferOptions({
  endpoint,
  token = null,
  stallMs = 30_000,
  ...options
}: PullModelOptions): TransferOptions {
  return {
    hub: { endpoint: hubAddress(endpoint), token, stallMs },
    signal: options.signal,
    onProgress: options.onProgress ?? (() => {}),
    onNote: options.onNote ?? (() => {}),
    retryDelaysMs: options.retryDelaysMs ?? [1_000, 4_000, 16_000],
    freeBytes: options.freeBytes,
  };
}

function hubAddress(endpoint: string | undefined): string {
  const address = endpoint ?? 'https://huggingface.co';
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new ModelError(`${JSON.stringify(address)} is not the address of a hub.`);
  }
  return address.replace(/\/+$/, '');
}
