import { Readable } from 'node:stream';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteOptions,
} from 'fastify';
import { fault, newId } from '#kernel';
import { type Authenticator, authenticateWith, decoratePrincipal } from './auth-hook.ts';
import { acceptJson, limitBodyTime, takeRest, unwrapNativeBody } from './body.ts';
import { createCallers } from './callers.ts';
import { limitConnections } from './connections.ts';
import { allowOrigin, answerOptions, anyMethod, isPreflight } from './cors.ts';
import { drainServer, watchUnused } from './drain.ts';
import { type ErrorEnvelope, nativeErrors } from './error-envelope.ts';
import { createFaultLog } from './fault-log.ts';
import { healthRoutes } from './health.ts';
import { nameIgnoredFields } from './ignored-fields.ts';
import { notServed } from './not-served.ts';
import { createReaders } from './readers.ts';
import { faultOf, sendFault } from './render-fault.ts';
import { checkHeaders, requestPath, takeKey } from './request-head.ts';
import { retired, successorOf } from './retired-paths.ts';
import { collectRoutes, pathOf, type RegisteredRoute, type RouteTable } from './route-table.ts';
import { answerBrokenRequest, refuseConnect } from './socket-errors.ts';
import { validatorCompiler } from './validation.ts';

export type ServerLimits = {
  bodyBytes: number;
  headerBytes: number;
  /** Time for the header of a request, and for its body, ms. */
  headersTimeoutMs: number;
  requestTimeoutMs: number;
  /** A connection on which nothing moves is closed; longer than the longest answer without a stream, ms. */
  silenceTimeoutMs: number;
  connections: number;
  /** Of one address at a time, unless it is that of a trusted proxy. */
  connectionsPerAddress: number;
};

export type ServerOptions = {
  authenticator: Authenticator;
  /** Rejects when the database does not answer. */
  probe: () => Promise<void>;
  /** Origins that may read answers in a browser; none by default. */
  corsOrigins?: readonly string[];
  /** Proxies whose word about the client's address and protocol is taken; none by default. */
  trustedProxies?: readonly string[];
  /** Told of every request before anything is done with it. */
  watchRequest?: ((request: FastifyRequest, reply: FastifyReply) => void) | null;
  /** Answers a person at an address where nothing is; false leaves it to the JSON of a program. */
  answerStranger?: (request: FastifyRequest, reply: FastifyReply) => boolean;
  /** Takes our own failures; nothing is written without it. */
  logger?: FastifyBaseLogger;
  limits?: Partial<ServerLimits>;
};

declare module 'fastify' {
  interface FastifyInstance {
    routeTable: RouteTable;
  }
  interface FastifyRequest {
    /** How errors are told to the caller of this request's route. */
    readonly envelope: ErrorEnvelope;
  }
}

const defaultLimits: ServerLimits = {
  bodyBytes: 1_048_576,
  headerBytes: 16_384,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  silenceTimeoutMs: 660_000,
  connections: 10_000,
  connectionsPerAddress: 2_000,
};

/**
 * The HTTP server without any resource: request ids, errors, retired paths, checks against hostile input,
 * authentication, health, draining. Routes come as plugins and say in `config` what they are.
 */
export function createServer(options: ServerOptions): FastifyInstance {
  const limits = { ...defaultLimits, ...options.limits };
  const callers = createCallers();
  const origins = new Set(options.corsOrigins);
  const app = newFastify(limits, options, origins);
  const closing = { now: false };
  const closeUnused = watchUnused(app.server);

  limitBodyTime(app, { limitMs: limits.requestTimeoutMs, authenticator: options.authenticator });
  app.decorateRequest('envelope', {
    getter(this: FastifyRequest) {
      if (this.is404) return app.routeTable.envelopeOf(pathOf(this.url));
      return this.routeOptions.config.envelope ?? nativeErrors;
    },
  });
  decoratePrincipal(app);
  app.decorate('callers', callers);
  app.decorate('readers', createReaders(options.authenticator));
  app.decorate('faultLog', createFaultLog(app.log));
  app.addHook('onClose', async () => app.faultLog.flush());
  app.decorate('drain', (drain) => {
    closing.now = true;
    app.readers.dismiss();
    // Calls that outlived their callers may have failed after the server was closed.
    return drainServer(app, drain, closeUnused).finally(() => app.faultLog.flush());
  });
  app.addHook('preClose', async () => {
    closing.now = true;
  });

  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(() => JSON.stringify);
  acceptJson(app);
  app.setErrorHandler((error, request, reply) => {
    const problem = faultOf(error, request.routeOptions.bodyLimit);
    if (problem.row.status >= 500) app.faultLog.record(request, problem);
    if (!request.raw.complete) takeRest(request, reply);
    return sendFault(reply, problem, request.envelope);
  });
  const { watchRequest, answerStranger = () => false } = options;
  const answerNothing = (request: FastifyRequest, reply: FastifyReply) =>
    answerUnknown(request, reply, { routes: app.routeTable, answerStranger });
  app.setNotFoundHandler(answerNothing);

  app.addHook('onRequest', (request, reply, done) => {
    watchRequest?.(request, reply);
    reply.header('x-request-id', request.id);
    // Read once: Fastify makes the options of a route anew for each look at them.
    const { envelope } = request;
    if (envelope.everyAnswer) reply.headers(envelope.everyAnswer(request.id));
    if (origins.size > 0) allowOrigin(request, reply, origins);
    const refusal = checkHeaders(request.raw);
    // Browsers with a session can read these answers. They must not be taken for HTML, whatever text people have
    // stored.
    if (envelope === nativeErrors) reply.header('x-content-type-options', 'nosniff');
    if (refusal) done(refusal);
    else if (closing.now && request.url !== '/healthz') done(shuttingDown());
    else if (request.is404 || app.routeTable.ambiguous.get(request.routeOptions.url ?? '')?.(request.url))
      answerNothing(request, reply);
    else {
      takeKey(request);
      done();
    }
  });
  app.decorate('routeTable', collectRoutes(app, prepareRoute(options.authenticator)));
  healthRoutes(app, options.probe);
  return app;
}

function neverAsked(): never {
  throw new Error('The server checks and writes with compilers of its own.');
}

function newFastify(
  limits: ServerLimits,
  { logger, trustedProxies = [] }: ServerOptions,
  origins: ReadonlySet<string>,
): FastifyInstance {
  const app = Fastify({
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    ...(logger ? { loggerInstance: logger } : { logger: false }),
    logController: new Fastify.LogController({ disableRequestLogging: true }),
    genReqId: () => newId('req'),
    bodyLimit: limits.bodyBytes,
    connectionTimeout: limits.silenceTimeoutMs,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 512 },
    // Ours take their place; where none are named, Fastify loads its own first, which are a hundred modules.
    schemaController: { compilersFactory: { buildValidator: neverAsked, buildSerializer: neverAsked } },
    rewriteUrl: requestPath,
    // A path that the router cannot read; no hook runs for it.
    frameworkErrors: (error, request, reply) => {
      if (origins.size > 0) allowOrigin(request, reply, origins);
      if (isPreflight(request, reply)) answerOptions(request, reply, anyMethod);
      else void sendFault(reply, faultOf(error), app.routeTable.envelopeOf(pathOf(request.raw.url ?? '')));
    },
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket),
    http: {
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: Math.min(1_000, limits.headersTimeoutMs / 2),
      maxHeaderSize: limits.headerBytes,
      // The header guard refuses a missing Host itself: Node's own answer is empty.
      requireHostHeader: false,
    },
  });
  // One logger for all: what a factory of ours makes, Fastify would check at every request.
  app.log.child = () => app.log;
  limitConnections(app.server, {
    most: limits.connections,
    mostPerAddress: limits.connectionsPerAddress,
    trustedProxies,
    warn: (entry, message) => app.log.warn(entry, message),
  });
  // Node would quietly drop header fields past 2,000; the size bound is enough, and a dropped field could be a second Host.
  app.server.maxHeadersCount = 0;
  // An unknown expectation may be ignored (RFC 9110 10.1.1); Node's own answer is not JSON.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.server.on('connect', (_request, socket) => refuseConnect(socket));
  return app;
}

/** Adds what a route's `config` asks for. Everything but `public` and `admission` needs a principal. */
function prepareRoute(authenticator: Authenticator) {
  const authenticate = authenticateWith(authenticator);
  return (route: RouteOptions, { method, access }: RegisteredRoute): void => {
    const before = [route.onRequest ?? []].flat();
    if (access !== 'public' && access !== 'admission') {
      before.unshift(authenticate);
      route.onSend = [keepFromCaches, ...[route.onSend ?? []].flat()];
    }
    if (access !== 'admission') {
      route.preValidation = [unwrapBody, ...[route.preValidation ?? []].flat()];
      if (route.schema?.body) route.preHandler = [nameIgnored, ...[route.preHandler ?? []].flat()];
    }
    route.onRequest = before;
    if (method === 'HEAD') route.onSend = [leaveContent, ...[route.onSend ?? []].flat()];
  };
}

/**
 * What belongs to one account is kept by no cache unless its route says how: of a request with a session a shared cache may
 * otherwise keep the answer for everybody, as it may not of one with a key (RFC 9111 3.5).
 */
function keepFromCaches(_request: FastifyRequest, reply: FastifyReply, content: unknown, done: DoneWith): void {
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
  done(null, content);
}

/** Asked for its head, a file need not be read to its end. */
function leaveContent(_request: FastifyRequest, _reply: FastifyReply, content: unknown, done: DoneWith): void {
  const isFile = content instanceof Readable;
  if (isFile) content.on('error', () => {}).destroy();
  done(null, isFile ? Readable.from([]) : content);
}

type DoneWith = (error: Error | null, content?: unknown) => void;

function unwrapBody(request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
  unwrapNativeBody(request);
  done();
}

function nameIgnored(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  nameIgnoredFields(reply, request.routeOptions.schema?.body, request.body);
  done();
}

type Elsewhere = { routes: RouteTable } & Required<Pick<ServerOptions, 'answerStranger'>>;

/** 410 for a retired path, 405 for a known path with another method, otherwise 404. */
function answerUnknown(request: FastifyRequest, reply: FastifyReply, { routes, answerStranger }: Elsewhere): void {
  const path = pathOf(request.url);
  const successor = successorOf(path);
  const methods = successor === null ? routes.methodsOf(path) : [];
  if (methods.length === 0 && isPreflight(request, reply)) answerOptions(request, reply, anyMethod);
  else if (successor !== null) sendFault(reply, retired(successor), request.envelope);
  else if (methods.length === 0) {
    if (!answerStranger(request, reply)) sendFault(reply, notServed(path), request.envelope);
  } else if (request.method === 'OPTIONS') answerOptions(request, reply, methods);
  else sendFault(reply, fault('method_not_allowed', { headers: { allow: methods.join(', ') } }), request.envelope);
}

function shuttingDown() {
  return fault('service_unavailable', {
    message: 'The service is shutting down.',
    retryAfterSeconds: 1,
    headers: { connection: 'close' },
  });
}
