import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '#db';
import { openNamedEvents, pageOf, prefersType, readPage, type TypeBoxProvider, watchCaller } from '#http';
import type { CursorCodec } from '#kernel';
import type { ObjectStore } from '#objects';
import { artifactKeys, type TrainingJob } from '../jobs/job.ts';
import { findJob } from '../jobs/jobs.store.ts';
import { countLogs, type LogFilter, type LogLevel, listLogs, listMetrics, logLevels } from '../logs/logs.store.ts';
import { jobPath, readOwnJob } from './job-access.ts';
import { followJob, type JobChanges } from './log-stream.ts';
import { frozenContract, logsContract, loraContract, manifestContract, metricsContract } from './records.contract.ts';
import { attemptQuery, frozenQuery, logsQuery, metricsQuery } from './records.schema.ts';
import { finishedFilesOf, type RouteExchange, sendArchive, sendFrozen } from './send-files.ts';
import { logToWire, metricsToWire } from './wire.ts';

type RecordsRoutesDeps = { database: Database; cursors: CursorCodec; objects: ObjectStore; changes: JobChanges };

const defaultPoints = 500;

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
        if (prefersType(request, 'text/event-stream'))
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
      async (request, reply) => sendFrozen(database, { request, reply }, { split: request.query.split ?? null }),
    );

    typed.get(
      `${jobPath}/lora`,
      { config: { operation: 'training_jobs.lora', contract: loraContract }, schema: { querystring: attemptQuery } },
      async (request, reply) => {
        const job = await readOwnJob(database, request);
        return sendArchive(objects, { request, reply }, finishedFilesOf(job, request.query.attempt));
      },
    );

    app.get(
      `${jobPath}/manifest`,
      { config: { operation: 'training_jobs.manifest', contract: manifestContract } },
      async (request): Promise<unknown> => {
        const job = finishedFilesOf(await readOwnJob(database, request), undefined);
        const { manifest } = artifactKeys({ jobId: job.id, attempt: job.attempt });
        return JSON.parse(await text(await objects.get(manifest)));
      },
    );
  };
}

async function streamLogs(
  { database, changes }: RecordsRoutesDeps,
  { request, reply }: RouteExchange,
  { job, filter, afterSeq }: { job: TrainingJob; filter: LogFilter; afterSeq: bigint },
): Promise<FastifyReply> {
  // A HEAD request does not wait until the job is over.
  if (request.method === 'HEAD') return reply.type('text/event-stream; charset=utf-8').send(Readable.from([]));
  const caller = watchCaller(reply);
  const stream = openNamedEvents(reply, caller);
  const readJob = () => findJob(database, { projectId: job.projectId, id: job.id });
  const changed = (signal: AbortSignal) => changes.next(job.id, signal);
  const from = { caller, filter, afterSeq: lastEventId(request) ?? afterSeq };
  await followJob({ sql: database, readJob, changed }, stream, from).catch((err: unknown) => {
    request.log.warn({ err, job: job.id }, 'training log stream failed');
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

function lastEventId({ headers }: FastifyRequest): bigint | null {
  const id = headers['last-event-id'];
  return typeof id === 'string' && /^\d{1,15}$/.test(id) ? BigInt(id) : null;
}
