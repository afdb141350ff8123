import type { FastifyReply, FastifyRequest } from 'fastify';
import { createCounter, createGauge, createHistogram } from './series.ts';

/** A request of which everything is known: it was answered, or its caller left before (499, as proxies write it). */
export type EndedRequest = {
  requestId: string;
  operation: string;
  method: string;
  route: string | null;
  status: number;
  durationMs: number;
};

export type RequestListener = (ended: EndedRequest) => void;

const callerLeft = 499;

/** Follows a request to the close of its response; costs nothing but one listener. */
export function followRequest(request: FastifyRequest, reply: FastifyReply, ended: RequestListener): void {
  const startMs = performance.now();
  const { raw } = reply;
  raw.once('close', () => {
    const { config, url } = request.routeOptions;
    ended({
      requestId: request.id,
      operation: config.operation ?? 'unknown',
      method: request.method,
      route: url ?? null,
      status: raw.writableFinished ? raw.statusCode : callerLeft,
      durationMs: performance.now() - startMs,
    });
  });
}

/** From a lookup to a long answer. */
const durationBuckets = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

export function createHttpMetrics() {
  const requests = createCounter({
    name: 'fanfold_http_requests_total',
    help: 'Requests, by operation and status; 499: the caller left before the answer was complete.',
    labelNames: ['operation', 'status'],
  });
  const durations = createHistogram({
    name: 'fanfold_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer, streams included.',
    labelNames: ['operation'],
    buckets: durationBuckets,
  });
  const inFlight = createGauge({
    name: 'fanfold_http_requests_in_flight',
    help: 'Requests that are not answered yet.',
    labelNames: [],
  });
  return {
    families: [requests, durations, inFlight],
    began: () => inFlight.add([], 1),
    ended({ operation, status, durationMs }: EndedRequest): void {
      inFlight.add([], -1);
      requests.add([operation, String(status)]);
      durations.observe([operation], durationMs / 1000);
    },
  };
}
