import { installationSecret } from '#accounts';
import type { Database } from '#db';
import { createServer, type ServerOptions } from '#http';
import { createCursorCodec, systemClock } from '#kernel';
import { createKeyAuthenticator, createKeyUsage, keysRoutes } from '#keys';

/** A server with the key routes on a free port, wired as the product wires it. */
export async function startNativeServer(database: Database, options: Partial<ServerOptions> = {}) {
  const usage = createKeyUsage({ sql: database, clock: systemClock });
  const cursors = createCursorCodec(await installationSecret(database, 'cursor'));
  const app = createServer({
    authenticator: createKeyAuthenticator({ sql: database, usage }),
    probe: async () => void (await database.query('select 1')),
    ...options,
  });
  app.register(keysRoutes({ database, cursors }));
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    app,
    origin,
    stop: async () => {
      await app.drain({ graceMs: 500, stopMs: 500 });
      await usage.stop();
    },
  };
}
