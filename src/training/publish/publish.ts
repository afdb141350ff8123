import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { AdapterProbe } from '#engine';
import { isStorageFull, isUnavailableFault } from '#kernel';
import type { ModelsService } from '#models';
import type { ObjectStore } from '#objects';
import { type PackedFile, packFiles } from '../adapters/adapter-archive.ts';
import { AdapterError, peftFiles } from '../adapters/adapter-config.ts';
import { convertAdapter, readHeads } from '../adapters/convert-adapter.ts';
import type { TransitionContext } from '../jobs/advance.ts';
import { artifactKeys, type TrainingJob } from '../jobs/job.ts';
import { AttemptFailure } from '../jobs/lifecycle.ts';
import type { SnapshotManifest } from '../prepare/snapshot.ts';
import { servingOf } from '../settings/hyperparameters.ts';
import { architectureOf, baseFilesOf } from '../supervise/base-weights.ts';
import { type AdapterCheck, checkAdapter } from './check-adapter.ts';

export type TrainedAttempt = {
  job: TrainingJob;
  snapshot: SnapshotManifest;
  outFolder: string;
  metrics: Record<string, number>;
  baselineMetrics: Record<string, number> | null;
  versions: Record<string, string>;
};

/** Checks that what was learned can be served, and stores it where it is served from. Throws `AttemptFailure`. */
export type PublishAttempt = (
  trained: TrainedAttempt,
  signal: AbortSignal,
) => Promise<NonNullable<TransitionContext['success']>>;

type PublisherDeps = {
  objects: ObjectStore;
  probe: AdapterProbe;
  models: Pick<ModelsService, 'find' | 'trainingProfile'>;
};

/** Files beside the adapter that whoever loads it elsewhere needs, as far as the base has them. */
const tokenizerFiles = ['tokenizer.json', 'tokenizer_config.json', 'chat_template.jinja'];

/** Everything before the state of the job changes can be done again: the same attempt gives the same bytes. */
export function createPublisher(deps: PublisherDeps): PublishAttempt {
  return async (trained, signal) => {
    try {
      return await publish(deps, trained, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof AttemptFailure || isUnavailableFault(error) || isStorageFull(error)) throw error;
      const why = error instanceof AdapterError ? `: ${error.message}` : '.';
      throw new AttemptFailure('artifact_write_failed', `The adapter could not be saved${why}`, { cause: error });
    }
  };
}

async function publish(
  { objects, probe, models }: PublisherDeps,
  trained: TrainedAttempt,
  signal: AbortSignal,
): ReturnType<PublishAttempt> {
  const { job, snapshot, outFolder, versions, metrics, baselineMetrics } = trained;
  const { ggufPath: baseGguf, weightsFolder } = baseFilesOf(models, job);
  const peftFolder = join(outFolder, 'adapter');
  const adapterGguf = join(outFolder, 'adapter.gguf');
  const gguf = await convertAdapter({
    peftFolder,
    ggufPath: adapterGguf,
    architecture: (await architectureOf(weightsFolder)) ?? 'unknown',
    heads: await readHeads(weightsFolder),
    provenance: { job: job.id, base_sha256: job.baseSha256, snapshot_sha256: snapshot.sha256 },
  });
  const checkPath = join(outFolder, 'check.json');
  const check = await checkAdapter(probe, { kind: job.kind, baseGguf, adapterGguf, checkPath }, signal);
  const files = await archiveFiles(peftFolder, weightsFolder);
  const manifest = `${JSON.stringify(manifestOf(trained, { files, gguf, check }), null, 2)}\n`;
  signal.throwIfAborted();
  const keys = artifactKeys({ jobId: job.id, attempt: job.attempt });
  await objects.put(keys.manifest, Readable.from([Buffer.from(manifest)]), { signal });
  const stored = await objects.put(keys.adapter, createReadStream(adapterGguf), { signal });
  if (stored.sha256 !== gguf.sha256) throw new Error('The adapter changed while it was stored.');
  const archive = packFiles([...files, textFile('manifest.json', manifest)]);
  const { sha256, bytes } = await objects.put(keys.archive, archive, { signal });
  return {
    result: {
      adapter: { sizeBytes: gguf.sizeBytes, sha256: gguf.sha256, rank: gguf.rank },
      metrics,
      baselineMetrics,
      check,
      trainer: versions,
      maxInputTokens: job.kind === 'embedding' ? servingOf(job.hyperparameters).maxInputTokens : null,
    },
    adapterSha256: gguf.sha256,
    archive: { sha256, bytes },
  };
}

type ArchiveFile = PackedFile & { sha256: string };

/** What PEFT wrote, and the tokenizer; without the manifest, which lists them. */
async function archiveFiles(peftFolder: string, weightsFolder: string): Promise<ArchiveFile[]> {
  const files = await Promise.all([
    ...peftFiles.map((name) => archiveFile(peftFolder, name)),
    ...tokenizerFiles.map((name) => archiveFile(weightsFolder, name).catch(() => null)),
  ]);
  return files.filter((file) => file !== null);
}

async function archiveFile(folder: string, name: string): Promise<ArchiveFile> {
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

type ManifestParts = {
  files: readonly ArchiveFile[];
  gguf: { sha256: string; sizeBytes: number; rank: number };
  check: AdapterCheck;
};

/** Where an adapter comes from, down to the last digest. The same attempt gives the same text. */
function manifestOf(
  { job, snapshot, versions, metrics, baselineMetrics }: TrainedAttempt,
  { files, gguf, check }: ManifestParts,
) {
  const { control } = job.evaluation;
  return {
    format: 1,
    job: { id: job.id, name: job.name, attempt: job.attempt, kind: job.kind },
    base: { model: job.baseModelId, sha256: job.baseSha256 },
    dataset: { id: job.datasetId, version_id: job.datasetVersionId, sha256: job.datasetSha256 },
    snapshot: {
      sha256: snapshot.sha256,
      template_sha256: snapshot.templateSha256,
      tokenizer_sha256: snapshot.tokenizerSha256,
      counts: snapshot.counts,
    },
    hyperparameters: job.hyperparameters,
    adapter: { sha256: gguf.sha256, size_bytes: gguf.sizeBytes, rank: gguf.rank },
    check: { agreement: check.agreement, difference: check.difference },
    ...(control && snapshot.control
      ? {
          control: {
            version_id: control.versionId,
            counts: snapshot.control,
            before: controlMetrics(baselineMetrics ?? {}),
            after: controlMetrics(metrics),
          },
        }
      : {}),
    trainer: versions,
    files: files.map(({ name, sha256, sizeBytes }) => ({ name, sha256, size_bytes: sizeBytes })),
  };
}

function controlMetrics(metrics: Record<string, number>): Record<string, number> {
  const prefix = 'control.';
  const entries = Object.entries(metrics).filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(entries.map(([name, value]) => [name.slice(prefix.length), value]));
}
