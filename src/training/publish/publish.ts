import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { AdapterProbe } from '#engine';
import { isOutOfReach } from '#kernel';
import type { ObjectStore } from '#objects';
import { AdapterError, convertAdapter, type PackedFile, packFiles, readHeads } from '../adapters/index.ts';
import { AttemptFailure } from '../jobs/failures.ts';
import { servingOf } from '../settings/hyperparameters.ts';
import { architectureOf } from '../supervise/attempt-folder.ts';
import type { Publish, Trained } from '../supervise/ports.ts';
import { artifactKeys } from './artifacts.ts';
import { checkAdapter } from './check-adapter.ts';
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
      if (error instanceof AttemptFailure || isOutOfReach(error)) throw error;
      const why = error instanceof AdapterError ? `: ${error.message}` : '.';
      throw new AttemptFailure('artifact_write_failed', `The adapter could not be saved${why}`, { cause: error });
    }
  };
}

async function publish(deps: PublisherDeps, trained: Trained, signal: AbortSignal): ReturnType<Publish> {
  const { job, snapshot, outFolder, versions, metrics, baselineMetrics } = trained;
  const { ggufPath, weightsFolder } = deps.baseOf(job.baseModelId, job.baseSha256);
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
  const check = await checkAdapter(deps.probe, { kind: job.kind, baseGguf: ggufPath, adapterGguf, checkPath }, signal);
  const files = await Promise.all([
    ...['adapter_config.json', 'adapter_model.safetensors'].map((name) => packed(peftFolder, name)),
    ...tokenizerFiles.map((name) => packed(weightsFolder, name).catch(() => null)),
  ]);
  const present = files.filter((file) => file !== null);
  const listed = present.map(({ name, sha256, sizeBytes }) => ({ name, sha256, size_bytes: sizeBytes }));
  const parts = { job, snapshot, versions, metrics: { before: baselineMetrics, after: metrics } };
  const manifest = `${JSON.stringify(manifestOf({ ...parts, files: listed, gguf, check }), null, 2)}\n`;
  const keys = artifactKeys({ jobId: job.id, attempt: job.attempt });
  signal.throwIfAborted();
  await deps.objects.put(keys.manifest, Readable.from([Buffer.from(manifest)]), { signal });
  const stored = await deps.objects.put(keys.adapter, createReadStream(adapterGguf), { signal });
  if (stored.sha256 !== gguf.sha256) throw new Error('The adapter changed while it was stored.');
  const manifestFile = textFile('manifest.json', manifest);
  const archive = await deps.objects.put(keys.archive, packFiles([...present, manifestFile]), { signal });
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
