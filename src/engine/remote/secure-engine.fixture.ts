import { Fault, systemClock } from '#kernel';
import type { Delta } from '../port.ts';
import { prompt, sampling } from './chat-call.fixture.ts';
import { routeTo } from './remote-engine.fixture.ts';
import { createRemoteEngine } from './remote-engine.ts';
import { openConnectionPool, readText } from './upstream.ts';

const signal = () => AbortSignal.timeout(180_000);

/** What a call through these routes, the first of them first, says in the end; and what the log says of routes. */
export async function callBy(urls: readonly string[], { whole = false, untilDown = false } = {}): Promise<string> {
  const down = Promise.withResolvers<string>();
  const routes = urls.map((url, at) =>
    routeTo(`r${at}`, url, { secret: 's3cret', weight: at === 0 ? 1_000 : 1, maxContextTokens: 4_096 }),
  );
  const engine = createRemoteEngine({
    routes: () => routes,
    countHere: async () => null,
    clock: systemClock,
    health: { everyMs: 20 },
    log: (_level, _message, { error }) => error && down.resolve(String(error)),
  });
  try {
    const deltas: Delta[] = [];
    const { handle } = await engine.prepareChat({ ...prompt, maxTokens: 10 }, signal());
    await engine.generate({ handle, sampling, cacheScope: 'ada', signal: signal(), whole }, (each) =>
      deltas.push(each),
    );
    const said = deltas.map((each) => ('text' in each ? each.text : '')).join('');
    return untilDown ? `${said} ${await down.promise}` : said;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return `${error.fault}: ${error.options.internal}`;
  } finally {
    await engine.close();
  }
}

/** Requests one after the other. */
async function callAgain(origin: string): Promise<unknown[]> {
  const pool = openConnectionPool(origin, { maxConnections: 4, secret: 's3cret', limits: { idleMs: 600_000 } });
  const said: unknown[] = [];
  for (const n of [1, 2, 3, 4]) {
    const body = JSON.stringify({ n, text: 'ü'.repeat(100_000 * n) });
    const { body: echoed } = await pool.send({ method: 'POST', path: '/v1/echo', body }, signal());
    said.push(JSON.parse(await readText(echoed)));
  }
  await pool.close();
  return said;
}

/** As a server that was started with an authority of its own; prints what became of the calls. */
async function main([urls = '{}']: readonly string[]): Promise<void> {
  // as: the test beside this file starts it.
  const { good, elsewhere, expired } = JSON.parse(urls) as Record<string, string>;
  const results = {
    whole: await callBy([good ?? ''], { whole: true }),
    streamed: await callBy([good ?? '']),
    echoed: await callAgain(new URL(good ?? '').origin),
    elsewhere: await callBy([elsewhere ?? '']),
    expired: await callBy([expired ?? '']),
  };
  process.stdout.write(JSON.stringify(results));
}

if (import.meta.main) await main(process.argv.slice(2));
