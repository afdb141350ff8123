import type { IncomingHttpHeaders } from 'node:http';
import type { Attributes, Context, Span, Tracer } from '@opentelemetry/api';
import type { CallWatch, ObservedCall } from '#inference';
import type { Log } from '#kernel';
import { callAttributes, endAttributes, spanName } from './call-attributes.ts';
import type { EndedRequest } from './http-metrics.ts';

export type TracingOptions = {
  /** Address of an OTLP/HTTP collector, without `/v1/traces`. */
  endpoint: string;
  serviceName: string;
  /** Part of the traces that are kept, 0 to 1, where the caller has not decided it. */
  ratio: number;
  log: Pick<Log, 'warn'>;
};

/** Spans of requests and of the calls in them. Whatever becomes of them, no request waits for it or fails of it. */
export type Tracing = {
  /** Begins the span of a request; the caller's `traceparent` is its parent. */
  began: (request: { requestId: string; headers: IncomingHttpHeaders }) => void;
  ended: (request: EndedRequest) => void;
  call: (call: ObservedCall) => CallWatch | null;
  /** Sends what waits, within a bound. */
  stop: () => Promise<void>;
};

type Kit = Awaited<ReturnType<typeof loadKit>>;
type Open = { span: Span; context: Context };

const stopMs = 3_000;

/** Loads the OpenTelemetry kit, which costs 15 MB of memory, and begins to send spans in the background. */
export async function startTracing(options: TracingOptions): Promise<Tracing> {
  const kit = await loadKit();
  const { api } = kit;
  const provider = createProvider(kit, options);
  const tracer = provider.getTracer('fanfold');
  const propagator = new kit.core.W3CTraceContextPropagator();
  const open = new Map<string, Open>();

  return {
    began({ requestId, headers }) {
      const parent = propagator.extract(api.ROOT_CONTEXT, headers, api.defaultTextMapGetter);
      const span = tracer.startSpan('request', { kind: api.SpanKind.SERVER }, parent);
      open.set(requestId, { span, context: api.trace.setSpan(parent, span) });
    },
    ended(request) {
      const opened = open.get(request.requestId);
      open.delete(request.requestId);
      if (opened) endRequest(kit, opened.span, request);
    },
    call(call) {
      const opened = open.get(call.requestId);
      return opened ? followCall(kit, tracer, { call, context: opened.context }) : null;
    },
    async stop() {
      const late = AbortSignal.timeout(stopMs);
      const giveUp = new Promise<void>((resolve) => late.addEventListener('abort', () => resolve(), { once: true }));
      await Promise.race([provider.shutdown().catch(() => {}), giveUp]);
    },
  };
}

async function loadKit() {
  const [api, core, trace, otlp, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/core'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  return { api, core, trace, otlp, resources };
}

const complainEveryMs = 60_000;

function createProvider({ core, trace, otlp, resources }: Kit, { endpoint, serviceName, ratio, log }: TracingOptions) {
  let complainedMs = Number.NEGATIVE_INFINITY;
  core.setGlobalErrorHandler((error) => {
    if (performance.now() - complainedMs < complainEveryMs) return;
    complainedMs = performance.now();
    log.warn({ err: error }, 'traces cannot be delivered');
  });
  const exporter = new otlp.OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` });
  return new trace.TracerProvider({
    resource: resources.resourceFromAttributes({ 'service.name': serviceName }),
    sampler: new trace.ParentBasedSampler({ root: new trace.TraceIdRatioBasedSampler(ratio) }),
    // Bounded: past its queue spans are dropped.
    spanProcessors: [new trace.BatchSpanProcessor({ exporter })],
  });
}

function endRequest({ api }: Kit, span: Span, { requestId, operation, method, route, status }: EndedRequest): void {
  const attributes: Attributes = {
    'http.request.method': method,
    'http.response.status_code': status,
    'fanfold.operation': operation,
    'fanfold.request_id': requestId,
  };
  if (route !== null) attributes['http.route'] = route;
  if (status >= 500) {
    attributes['error.type'] = String(status);
    span.setStatus({ code: api.SpanStatusCode.ERROR });
  }
  span.updateName(route === null ? method : `${method} ${route}`);
  span.setAttributes(attributes).end();
}

function followCall(
  { api }: Kit,
  tracer: Tracer,
  { call, context }: { call: ObservedCall; context: Context },
): CallWatch {
  const options = { kind: api.SpanKind.INTERNAL, attributes: callAttributes(call) };
  const span = tracer.startSpan(spanName(call), options, context);
  const startMs = performance.now();
  return {
    firstDelta: () =>
      void span.setAttribute('gen_ai.response.time_to_first_chunk', (performance.now() - startMs) / 1000),
    ended(end) {
      if (end.kind === 'failed') span.setStatus({ code: api.SpanStatusCode.ERROR });
      span.setAttributes(endAttributes(end)).end();
    },
  };
}
