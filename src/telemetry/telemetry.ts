import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import type { CallWatch, ObserveCall } from '#inference';
import { messageOf, OperatorError } from '#kernel';
import { type EndedRequest, followRequest } from './http-metrics.ts';
import type { ProcessMetrics } from './metrics.ts';
import { type OperatorServer, startOperatorServer } from './operator-server.ts';
import type { Observed } from './state-metrics.ts';
import { startTracing, type Tracing } from './tracing.ts';

export type TelemetryOptions = {
  /** Where the operator's tools ask; null: no port, nothing is counted, and what counts is not loaded. */
  operator: { host: string; port: number } | null;
  /** null: no spans, and their kit is not loaded. */
  tracing: { endpoint: string; serviceName: string; ratio: number } | null;
  log: FastifyBaseLogger;
};

/** What the operator sees of this process: metrics, traces and a line of log for each request. */
export type Telemetry = {
  /** Told of every request before anything is done with it; null when nobody wants to know. */
  watchRequest: ((request: FastifyRequest, reply: FastifyReply) => void) | null;
  observeCall: ObserveCall | null;
  /** Opens the operator port; `ready` rejects when the process cannot serve. Throws an `OperatorError`. */
  start: (observed: Observed, ready: () => Promise<void>) => Promise<void>;
  /** From now on the process is not ready: it is about to end. */
  ending: () => void;
  /** Its port; null without one. */
  port: () => number | null;
  /** Sends the last spans and closes the port. Rejects never. */
  stop: () => Promise<void>;
};

export async function createTelemetry({ operator, tracing, log }: TelemetryOptions): Promise<Telemetry> {
  const metrics = operator && (await import('./metrics.ts')).createMetrics();
  const traces = tracing && (await startTracing({ ...tracing, log }));
  let server: OperatorServer | null = null;
  let isEnding = false;
  return {
    watchRequest: requestWatcher(metrics, traces, log),
    observeCall: callObserver([metrics?.observeCall, traces?.call].filter((observe) => observe != null)),
    async start(observed, ready) {
      if (!operator || !metrics) return;
      metrics.watchState(observed);
      const readyNow = async () => {
        if (isEnding) throw new Error('The process is about to end.');
        await ready();
      };
      server = await openPort(metrics, operator, readyNow);
      log.info({ host: operator.host, port: server.port }, 'metrics are served on the operator port');
    },
    ending() {
      isEnding = true;
    },
    port: () => server?.port ?? null,
    async stop() {
      metrics?.stop();
      await Promise.all([traces?.stop(), server?.close()]);
    },
  };
}

async function openPort({ page }: ProcessMetrics, place: { host: string; port: number }, ready: () => Promise<void>) {
  try {
    return await startOperatorServer({ metrics: page, ready }, place);
  } catch (cause) {
    throw new OperatorError(
      `The operator port ${place.port} on ${place.host} cannot be opened (${messageOf(cause)}); see FANFOLD_OPERATOR_PORT and FANFOLD_OPERATOR_HOST.`,
      { cause },
    );
  }
}

/** Errors of ours are in the log anyway, with their cause; this line is for whoever wants to see every request. */
const levelsWithRequests = new Set(['debug', 'trace']);

function requestWatcher(metrics: ProcessMetrics | null, traces: Tracing | null, log: FastifyBaseLogger) {
  const isLogged = levelsWithRequests.has(log.level);
  if (!metrics && !traces && !isLogged) return null;
  const ended = (request: EndedRequest) => {
    metrics?.http.ended(request);
    traces?.ended(request);
    if (isLogged) log.debug({ ...request, durationMs: Math.round(request.durationMs) }, 'request');
  };
  return (request: FastifyRequest, reply: FastifyReply): void => {
    metrics?.http.began();
    traces?.began({ requestId: request.id, headers: request.headers });
    followRequest(request, reply, ended);
  };
}

function callObserver(observers: readonly ObserveCall[]): ObserveCall | null {
  if (observers.length === 0) return null;
  return (call) => {
    const watches = observers.map((observe) => observe(call)).filter((watch) => watch !== null);
    return watches.length === 0 ? null : together(watches);
  };
}

const together = (watches: readonly CallWatch[]): CallWatch => ({
  firstDelta: () => {
    for (const watch of watches) watch.firstDelta();
  },
  ended: (end) => {
    for (const watch of watches) watch.ended(end);
  },
});
