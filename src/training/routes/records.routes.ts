import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { findVersion, streamLines } from '#datasets';
import type { Database } from '#db';
import { isKnownVersion, openNamedEvents, pageOf, readPage, readRange, type TypeBoxProvider, watchCaller } from '#http';
import { type CursorCodec, fault } from '#kernel';
import type { ObjectStore } from '#objects';
import type { TrainingJob } from '../jobs/job.ts';
import { findJob } from '../jobs/jobs.store.ts';
import type { Changes } from '../logs/changes.ts';
import { countLogs, type LogFilter, type LogLevel, listLogs, logLevels } from '../logs/logs.store.ts';
import { listMetrics } from '../metrics/metrics.store.ts';
import { type SplitExample, splitOf } from '../prepare/example-split.ts';
import { artifactKeys } from '../publish/artifacts.ts';
import { numberOf } from '../settings/hyperparameters.ts';
import { followJob } from './log-stream.ts';
import { jobPath, readOwnJob } from './place.ts';
import { readText } from './read-text.ts';
import { frozenContract, logsContract, loraContract, manifestContract, metricsContract } from './records.contract.ts';
import { attemptQuery, frozenQuery, logsQuery, metricsQuery } from './records.schema.ts';
import { logToWire, metricsToWire } from './records.wire.ts';

export type RecordsRoutesDeps = { database: Database; cursors: CursorCodec; objects: ObjectStore; changes: Changes };

const defaultPoints = 500;

/** What a job leaves behind: its log, what was measured, what it learned from, and the adapter. */
export function recordsRoutes(deps: RecordsRoutesDeps) {
  const { database, objects } = deps;
  return async (app: FastifyInstance): Promise<void> => {
    const typed = app.withTypeProvider<TypeBoxProvider>();

    typed.get(
      `${jobPath}/logs`,
      { config: { operation: 'training_jobs.logs', contract: logsContract }, schema: { querystring: logsQuery } },
      async (request, reply) => {
        const job = await readOwnJob(database, request);
        const { attempt = null, level = 'debug', after_seq: afterSeq = 0 } = request.query;
        const filter = { jobId: job.id, attempt, levels: levelsFrom(level) };
        if (accepts(request, 'text/event-stream'))
          return streamLogs(deps, { request, reply }, { job, filter, afterSeq: BigInt(afterSeq) });
        return pageOfLogs(deps, filter, { ...readPage(request.query), from: BigInt(afterSeq), level });
      },
    );

    typed.get(
      `${jobPath}/metrics`,
      {
        config: { operation: 'training_jobs.metrics', contract: metricsContract },
        schema: { querystring: metricsQuery },
      },
      async (request) => {
        const job = await readOwnJob(database, request);
        const { attempt = job.attempt, max_points: maxPoints = defaultPoints } = request.query;
        return metricsToWire(attempt, await listMetrics(database, { jobId: job.id, attempt, maxPoints }));
      },
    );

    typed.get(
      `${jobPath}/frozen-dataset`,
      {
        config: { operation: 'training_jobs.frozen_dataset', contract: frozenContract },
        schema: { querystring: frozenQuery },
      },
      async (request, reply) => sendFrozen(database, request, reply, request.query.split ?? null),
    );

    typed.get(
      `${jobPath}/lora`,
      { config: { operation: 'training_jobs.lora', contract: loraContract }, schema: { querystring: attemptQuery } },
      async (request, reply) => {
        const job = await readOwnJob(database, request);
        return sendArchive(objects, { request, reply }, finished(job, request.query.attempt));
      },
    );

    app.get(
      `${jobPath}/manifest`,
      { config: { operation: 'training_jobs.manifest', contract: manifestContract } },
      async (request): Promise<unknown> => {
        const job = finished(await readOwnJob(database, request), undefined);
        return JSON.parse(await readText(objects, artifactKeys({ jobId: job.id, attempt: job.attempt }).manifest));
      },
    );
  };
}

type Exchange = { request: FastifyRequest; reply: FastifyReply };

/** Lines as they are written, until the job is over or its reader is gone. */
async function streamLogs(
  { database, changes }: RecordsRoutesDeps,
  { request, reply }: Exchange,
  { job, filter, afterSeq }: { job: TrainingJob; filter: LogFilter; afterSeq: bigint },
): Promise<FastifyReply> {
  const caller = watchCaller(reply);
  const stream = openNamedEvents(reply, caller);
  const readJob = () => findJob(database, { projectId: job.projectId, id: job.id });
  const changed = (signal: AbortSignal) => changes.next(job.id, signal);
  const place = { caller, filter, afterSeq: lastEventId(request) ?? afterSeq };
  await followJob({ sql: database, readJob, changed }, stream, place).catch((err: unknown) => {
    request.log.warn({ err, job: job.id }, 'a stream of a training job ended early');
    stream.end();
  });
  return reply;
}

async function pageOfLogs(
  { database: sql, cursors }: RecordsRoutesDeps,
  filter: LogFilter,
  { limit, cursor, from, level }: { limit: number; cursor: string | null; from: bigint; level: LogLevel },
) {
  const scope = ['training-logs', filter.jobId, String(filter.attempt ?? ''), level];
  const afterSeq = cursor === null ? from : BigInt(cursors.decode(scope, cursor)[0] ?? 0);
  const [rows, totalCount] = await Promise.all([
    listLogs(sql, filter, { afterSeq, limit: limit + 1 }),
    countLogs(sql, filter, { afterSeq: from }),
  ]);
  const cursorOf = ({ seq }: (typeof rows)[number]) => cursors.encode(scope, [String(seq)]);
  return pageOf({ rows, limit, totalCount, cursorOf, toWire: logToWire });
}

function levelsFrom(least: LogLevel): LogLevel[] {
  return logLevels.slice(logLevels.indexOf(least));
}

function accepts({ headers: { accept = '' } }: FastifyRequest, type: string): boolean {
  return accept.toLowerCase().includes(type);
}

function lastEventId({ headers }: FastifyRequest): bigint | null {
  const id = headers['last-event-id'];
  return typeof id === 'string' && /^\d{1,15}$/.test(id) ? BigInt(id) : null;
}

async function sendFrozen(
  database: Database,
  request: FastifyRequest,
  reply: FastifyReply,
  split: 'train' | 'test' | null,
): Promise<unknown> {
  const job = await readOwnJob(database, request);
  const version = await findVersion(database, { projectId: job.projectId, id: job.datasetVersionId });
  if (!version) throw fault('artifact_not_found', { message: 'The frozen dataset is gone.' });
  const asRows = accepts(request, 'application/x-ndjson');
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
    const made = isHeldOut ? { splitOf: (example: SplitExample) => splitOf(example, settings) } : {};
    const lines = streamLines(database, version, { split, ...made });
    return reply.type('application/x-ndjson').send(Readable.from(lines, { objectMode: false, highWaterMark: 65_536 }));
  }
  return frozenToWire(job, version);
}

function frozenToWire({ snapshot }: TrainingJob, version: NonNullable<Awaited<ReturnType<typeof findVersion>>>) {
  return {
    dataset_id: version.datasetId,
    version_id: version.id,
    sha256: version.sha256,
    example_count: version.trainCount + version.testCount,
    split_counts: { train: version.trainCount, test: version.testCount },
    tokens: snapshot && {
      samples: snapshot.counts.train,
      held_out: snapshot.counts.eval,
      trained: snapshot.counts.trainedTokens,
      dropped: snapshot.counts.dropped.too_long,
    },
    snapshot_sha256: snapshot?.sha256 ?? null,
  };
}

type Finished = { id: string; attempt: number; archiveSha256: string; archiveBytes: number };

/** A job with a result: only its last attempt has one. */
function finished(job: TrainingJob, attempt: number | undefined): Finished {
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

async function sendArchive(
  objects: ObjectStore,
  { request, reply }: Exchange,
  { id, attempt, archiveSha256, archiveBytes }: Finished,
): Promise<FastifyReply> {
  const etag = `"${archiveSha256}"`;
  reply.headers({
    ...{ etag, 'x-fnf-sha256': archiveSha256, 'accept-ranges': 'bytes', 'cache-control': 'private, no-cache' },
    'content-disposition': `attachment; filename="${id}.zip"`,
  });
  if (isKnownVersion(request, etag)) return reply.code(304).send();
  const isSame = (request.headers['if-range'] ?? etag) === etag;
  const range = isSame ? readRange(request.headers.range, archiveBytes) : null;
  if (range === 'unsatisfiable') return reply.code(416).header('content-range', `bytes */${archiveBytes}`).send();
  const { archive } = artifactKeys({ jobId: id, attempt });
  const content = range ? await objects.get(archive, range) : await objects.get(archive);
  reply.type('application/zip').header('content-length', range ? range.end - range.start + 1 : archiveBytes);
  if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${archiveBytes}`);
  return reply.send(content);
}
