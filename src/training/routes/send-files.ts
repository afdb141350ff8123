import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { findVersion, streamLines } from '#datasets';
import type { Database } from '#db';
import { isKnownVersion, prefersType, readRange } from '#http';
import { fault } from '#kernel';
import type { ObjectStore } from '#objects';
import { artifactKeys, type TrainingJob } from '../jobs/job.ts';
import { type SplitExample, splitOf } from '../prepare/samples.ts';
import { numberOf } from '../settings/hyperparameters.ts';
import { readOwnJob } from './job-access.ts';
import { frozenToWire } from './wire.ts';

export type RouteExchange = { request: FastifyRequest; reply: FastifyReply };

export async function sendFrozen(
  database: Database,
  { request, reply }: RouteExchange,
  { split }: { split: 'train' | 'test' | null },
): Promise<unknown> {
  const job = await readOwnJob(database, request);
  const version = await findVersion(database, { projectId: job.projectId, id: job.datasetVersionId });
  if (!version) throw fault('artifact_not_found', { message: 'The frozen dataset is gone.' });
  const asRows = prefersType(request, 'application/x-ndjson');
  const settings = { testRatio: job.evaluation.testRatio, seed: numberOf(job.hyperparameters, 'seed', 7) };
  const isHeldOut = settings.testRatio !== null;
  const tag = [version.sha256];
  if (isHeldOut) tag.push(`${settings.testRatio}`, `${settings.seed}`);
  if (!asRows) tag.push(`meta-${job.snapshot?.sha256 ?? ''}`);
  else if (split) tag.push(split);
  const etag = `"${tag.join('-')}"`;
  reply.header('etag', etag).header('cache-control', 'private, no-cache').header('vary', 'accept');
  if (isKnownVersion(request, etag)) return reply.code(304).send();
  if (asRows) {
    // With the splits of the job, so that whoever measures again measures with the same.
    const own = isHeldOut ? { splitOf: (example: SplitExample) => splitOf(example, settings) } : {};
    const lines = streamLines(database, version, { split, ...own });
    return reply.type('application/x-ndjson').send(Readable.from(lines, { objectMode: false, highWaterMark: 65_536 }));
  }
  return frozenToWire(job, version);
}

type FinishedJobFiles = { id: string; attempt: number; archiveSha256: string; archiveBytes: number };

/** Throws where the job has no result; only its last attempt has one. */
export function finishedFilesOf(job: TrainingJob, attempt: number | undefined): FinishedJobFiles {
  const { archiveSha256, archiveBytes } = job;
  if (job.state !== 'succeeded' || archiveSha256 === null || archiveBytes === null) {
    throw fault('state_conflict', {
      message: 'The job has not succeeded, so there is no adapter.',
      details: { state: job.state, allowed_from: ['succeeded'] },
    });
  }
  if (attempt !== undefined && attempt !== job.attempt) {
    throw fault('artifact_not_found', { message: `Attempt ${attempt} has left no adapter.`, param: 'attempt' });
  }
  return { id: job.id, attempt: job.attempt, archiveSha256, archiveBytes: Number(archiveBytes) };
}

export async function sendArchive(
  objects: ObjectStore,
  { request, reply }: RouteExchange,
  { id, attempt, archiveSha256, archiveBytes }: FinishedJobFiles,
): Promise<FastifyReply> {
  const etag = `"${archiveSha256}"`;
  reply.headers({
    etag,
    'x-fnf-sha256': archiveSha256,
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-cache',
    'content-disposition': `attachment; filename="${id}.zip"`,
  });
  if (isKnownVersion(request, etag)) return reply.code(304).send();
  const isSame = (request.headers['if-range'] ?? etag) === etag;
  // Only what is read has ranges (RFC 9110 14.2).
  const range = isSame && request.method === 'GET' ? readRange(request.headers.range, archiveBytes) : null;
  if (range === 'unsatisfiable') return reply.code(416).header('content-range', `bytes */${archiveBytes}`).send();
  const { archive } = artifactKeys({ jobId: id, attempt });
  const content = range ? await objects.get(archive, range) : await objects.get(archive);
  reply.type('application/zip').header('content-length', range ? range.end - range.start + 1 : archiveBytes);
  if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${archiveBytes}`);
  return reply.send(content);
}
