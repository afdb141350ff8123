import type { FastifyInstance } from 'fastify';
import { fault } from '#kernel';

const probeMs = 2_000;

/** `/healthz`: the process answers. `/readyz`: it can serve, because the database answers. */
export function healthRoutes(app: FastifyInstance, probe: () => Promise<void>): void {
  app.get('/healthz', { config: { operation: 'health.live', access: 'public' } }, async () => ({ status: 'ok' }));
  app.get('/readyz', { config: { operation: 'health.ready', access: 'public' } }, async () => {
    await withinBound(probe());
    return { status: 'ready' };
  });
}

async function withinBound(probing: Promise<void>): Promise<void> {
  const timer = Promise.withResolvers<never>();
  const late = setTimeout(() => timer.reject(new Error(`No answer within ${probeMs} ms.`)), probeMs);
  try {
    await Promise.race([probing, timer.promise]);
  } catch (cause) {
    throw fault('service_unavailable', { message: 'The service is not ready.', retryAfterSeconds: 1, cause });
  } finally {
    clearTimeout(late);
  }
}
