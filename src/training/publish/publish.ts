import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { AdapterProbe } from '#engine';
import { isOutOfReach, isOutOfRoom } from '#kernel';
import type { ObjectStore } from '#objects';
import { AdapterError, convertAdapter, type PackedFile, packFiles, peftFiles, readHeads } from '../adapters/index.ts';
import { AttemptFailure } from '../jobs/failures.ts';
import { servingOf } from '../settings/hyperparameters.ts';
import { architectureOf } from '../supervise/attempt-folder.ts';
import type { Publish, Trained } from '../supervise/ports.ts';
import { artifactKeys } from './artifacts.ts';
import { type AdapterCheck, checkAdapter } from './check-adapter.ts';
import { manifestOf } from './manifest.ts';

export type PublisherDeps = {
  objects: ObjectStore;
  probe: AdapterProbe;
  /** File of the base model that serves, and its folder in Hugging Face form. Throws `AttemptFailure`. */
  baseOf: (baseModelId: string, sha256: string) => { ggufPath: string; weightsFolder: string };
};

/** Files beside the adapter that whoever loads it elsewhere needs, as far as the base has them. */
const tokenizerFiles = ['tokenizer.json', 'tokenizer_config.json', 'chat_template.jinja'];

/** Everything before the state of the job changes can be done again: the same attempt gives the same bytes. */
export function createPublisher(deps: PublisherDeps): Publish {
  return async (trained, signal) => {
    try {
      return await publish(deps, trained, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof AttemptFailure || isOutOfReach(error) || isOutOfRoom(error)) throw error;
      const why = error instanceof AdapterError ? `: ${error.message}` : '.';
      throw new AttemptFailure('artifact_write_failed', `The adapter could not be saved${why}`, { cause: error });
    }
  };
}

async function publish(deps: PublisherDeps, trained: Trained, signal: AbortSignal): ReturnType<Publish> {
  const { job, outFolder, versions, metrics, baselineMetrics } = trained;
  const { ggufPath: baseGguf, weightsFolder } = deps.baseOf(job.baseModelId, job.baseSha256);
  const adapterGguf = join(outFolder, 'adapter.gguf');
  const gguf = await convert(trained, { weightsFolder, adapterGguf });
  const checkPath = join(outFolder, 'check.json');
  const check = await checkAdapter(deps.probe, { kind: job.kind, baseGguf, adapterGguf, checkPath }, signal);
  const files = await filesOf(trained, weightsFolder);
  const manifest = manifestText(trained, { files, gguf, check });
  signal.throwIfAborted();
  const archive = await store(deps.objects, { job, adapterGguf, gguf, files, manifest }, signal);
  return {
    result: {
      adapter: { sizeBytes: gguf.sizeBytes, sha256: gguf.sha256, rank: gguf.rank },
      ...{ metrics, baselineMetrics, check, trainer: versions },
      maxInputTokens: job.kind === 'embedding' ? servingOf(job.hyperparameters).maxInputTokens : null,
    },
    adapterSha256: gguf.sha256,
    archive: { sha256: archive.sha256, bytes: archive.bytes },
  };
}

/** As llama.cpp loads it. */
async function convert(
  { job, snapshot, outFolder }: Trained,
  { weightsFolder, adapterGguf }: { weightsFolder: string; adapterGguf: string },
): Promise<Converted> {
  return await convertAdapter({
    peftFolder: peftFolderIn(outFolder),
    ggufPath: adapterGguf,
    architecture: (await architectureOf(weightsFolder)) ?? 'unknown',
    heads: await readHeads(weightsFolder),
    provenance: { job: job.id, base_sha256: job.baseSha256, snapshot_sha256: snapshot.sha256 },
  });
}

const peftFolderIn = (outFolder: string) => join(outFolder, 'adapter');

/** Files of the archive, but for the manifest that lists them. */
async function filesOf({ outFolder }: Trained, weightsFolder: string): Promise<DigestedFile[]> {
  const files = await Promise.all([
    ...peftFiles.map((name) => packed(peftFolderIn(outFolder), name)),
    ...tokenizerFiles.map((name) => packed(weightsFolder, name).catch(() => null)),
  ]);
  return files.filter((file) => file !== null);
}

type Made = { files: readonly DigestedFile[]; gguf: Converted; check: AdapterCheck };

function manifestText({ job, snapshot, versions, metrics, baselineMetrics }: Trained, made: Made): string {
  const files = made.files.map(({ name, sha256, sizeBytes }) => ({ name, sha256, size_bytes: sizeBytes }));
  const parts = { job, snapshot, versions, metrics: { before: baselineMetrics, after: metrics } };
  return `${JSON.stringify(manifestOf({ ...parts, ...made, files }), null, 2)}\n`;
}

type Stored = Pick<Trained, 'job'> & Omit<Made, 'check'> & { adapterGguf: string; manifest: string };

/** Stores the manifest, the adapter as it is served, and the archive of what PEFT wrote; gives the digest of the archive. */
async function store(
  objects: ObjectStore,
  { job, adapterGguf, gguf, files, manifest }: Stored,
  signal: AbortSignal,
): Promise<{ sha256: string; bytes: number }> {
  const keys = artifactKeys({ jobId: job.id, attempt: job.attempt });
  await objects.put(keys.manifest, Readable.from([Buffer.from(manifest)]), { signal });
  const stored = await objects.put(keys.adapter, createReadStream(adapterGguf), { signal });
  if (stored.sha256 !== gguf.sha256) throw new Error('The adapter changed while it was stored.');
  return await objects.put(keys.archive, packFiles([...files, textFile('manifest.json', manifest)]), { signal });
}

type Converted = Awaited<ReturnType<typeof convertAdapter>>;

type DigestedFile = PackedFile & { sha256: string };

async function packed(folder: string, name: string): Promise<DigestedFile> {
  const path = join(folder, name);
  const { size } = await stat(path);
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return { name, sizeBytes: size, sha256: hash.digest('hex'), open: async () => createReadStream(path) };
}

function textFile(name: string, text: string): PackedFile {
  const bytes = Buffer.from(text);
  return { name, sizeBytes: bytes.length, open: async () => Readable.from([bytes]) };
}
