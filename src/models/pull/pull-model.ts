import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { checkFactsOfListed } from '../add-model.ts';
import type { ModelSource } from '../base-model.ts';
import type { CatalogueEntry } from '../catalogue.ts';
import { checkServable, readGgufFacts } from '../gguf/facts.ts';
import { inOneLine, ModelError } from '../model-error.ts';
import type { ModelsService } from '../models-service.ts';
import { readRegistry, syncFolder, updateRegistry } from '../registry.ts';
import { pulledFolder, withPullLock } from '../remove-model.ts';
import { type DownloadedFile, download } from './download.ts';
import type { HubOptions } from './hub-client.ts';
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

/** What to tell when a pull ended with the error: where its person stopped it, that it can go on. */
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
  const { folder, path, options } = pull;
  const onNote = options.onNote ?? (() => {});
  const { sizeBytes, sha256, commit } = await fetchFile(pull, onNote);
  await checkPulled(pull, onNote);
  await syncFolder(folder);
  const { mtimeMs } = await stat(path);
  await updateRegistry(models.registryPath, id, {
    file: { path, size_bytes: sizeBytes, modified_ms: mtimeMs, sha256 },
    hub_commit: commit,
    installed_at: new Date(options.nowMs ?? Date.now()).toISOString(),
    added: null,
  });
  return { outcome: 'pulled', id, path, sizeBytes, sha256 };
}

type Note = (line: string) => void;

async function fetchFile({ source, path, options }: Pull, onNote: Note): Promise<DownloadedFile> {
  const partialPath = `${path}.partial`;
  const fetched = await download({
    hub: hubOptions(options),
    file: source,
    partialPath,
    expected: source,
    signal: options.signal,
    onProgress: options.onProgress ?? (() => {}),
    onNote,
    retryDelaysMs: options.retryDelaysMs ?? [1_000, 4_000, 16_000],
    freeBytes: options.freeBytes,
  });
  if (!fetched.digestChecked) {
    onNote(`Neither the catalogue nor the hub names a digest; the file's is ${fetched.sha256}.`);
  }
  await rename(partialPath, path);
  await rm(`${partialPath}.json`, { force: true });
  return fetched;
}

/** A file that is not the model of the catalogue, or none that can be served, goes again. */
async function checkPulled({ entry, path }: Pull, onNote: Note): Promise<void> {
  try {
    const facts = readGgufFacts(path);
    for (const warning of checkServable(facts, entry.kind, basename(path))) onNote(warning);
    checkFactsOfListed(facts, entry, basename(path));
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

export function hubOptions({ endpoint, token = null, stallMs = 30_000 }: PullModelOptions): HubOptions {
  return { endpoint: hubAddress(endpoint), token, stallMs };
}

function hubAddress(endpoint: string | undefined): string {
  const address = endpoint ?? 'https://huggingface.co';
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new ModelError(`${JSON.stringify(address)} is not the address of a hub.`);
  }
  return address.replace(/\/+$/, '');
}
