import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Fault, systemClock } from '#kernel';
import { freePort } from '#test/free-port.ts';
import { prompt, sampling } from './chat-call.fixture.ts';
import { type HealthTiming, isUnanswered, probeConnection } from './health-check.ts';
import { routeTo } from './remote-engine.fixture.ts';
import { createRemoteEngine, type RemoteEngine } from './remote-engine.ts';
import { type Behave, delta, finish, startUpstream, stream } from './upstream.fixture.ts';

const stops: (() => Promise<void>)[] = [];
after(() => Promise.all(stops.map((stop) => stop())));

/** An engine that says nothing more to health checks once a call has come, and whose machine is reached or not. */
async function engineWhere(isThere: boolean, behave: Behave) {
  const state = { probes: 0, isSilent: false, isThere };
  const server = await startUpstream(
    (got, response) => {
      state.isSilent = true;
      return behave(got, response);
    },
    { isSilent: () => state.isSilent },
  );
  const health: HealthTiming = {
    everyMs: 10,
    timeoutMs: 10,
    probe: async () => {
      state.probes += 1;
      return state.isThere;
    },
  };
  const routes = [routeTo('a', server.url, { maxContextTokens: 4_096 })];
  const engine = createRemoteEngine({
    routes: () => routes,
    countHere: async () => null,
    clock: systemClock,
    log: () => {},
    health,
  });
  stops.push(() => engine.close(), server.stop);
  return { engine, state };
}

async function call(engine: RemoteEngine, { whole = false, onDelta = () => {} } = {}) {
  const { signal } = new AbortController();
  const { handle } = await engine.prepareChat({ ...prompt, maxTokens: 10 }, signal);
  return engine.generate({ handle, sampling, cacheScope: 'ada', signal, whole }, onDelta);
}

const isFault = (name: string) => (error: unknown) => error instanceof Fault && error.fault === name;

for (const whole of [true, false])
  test(`a call that an engine had when it vanished ends, and is not sent again (${whole ? 'whole' : 'streamed'})`, async () => {
    const { engine } = await engineWhere(false, () => {});
    await assert.rejects(call(engine, { whole }), isFault('ambiguous_transport'));
    assert.equal(engine.load('big').running, 0);
  });

test('a stream of an engine that vanished ends with an error', async () => {
  const { engine, state } = await engineWhere(true, (_got, response) =>
    stream(response, [delta({ content: 'Hi' })], { done: false }),
  );
  const vanishes = () => {
    state.isThere = false;
  };
  await assert.rejects(call(engine, { onDelta: vanishes }), isFault('generation_failed'));
  assert.deepEqual([state.isThere, engine.load('big').running], [false, 0]);
});

test('an engine that says nothing for long while its machine is there keeps its calls', async () => {
  const goOn = Promise.withResolvers<void>();
  const { engine, state } = await engineWhere(true, async (_got, response) => {
    await goOn.promise;
    stream(response, [delta({ content: 'Hi' }), finish('stop')]);
  });
  const finished = call(engine);
  while (state.probes < 20) await new Promise((resolve) => setTimeout(resolve, 10));
  goOn.resolve();
  assert.equal((await finished).reason, 'stop');
});

test('a machine that takes or refuses a connection is there', async () => {
  const server = await startUpstream(() => {});
  stops.push(server.stop);
  assert.equal(await probeConnection(server.url, 60_000), true);
  assert.equal(await probeConnection(`http://127.0.0.1:${await freePort()}/v1`, 60_000), true);
});

test('only silence of every address of a name counts as nobody there', () => {
  const coded = (code: string) => Object.assign(new Error(code), { code });
  const unanswered = ['ETIMEDOUT', 'EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH'].map(coded);
  for (const error of unanswered) assert.equal(isUnanswered(error), true);
  for (const code of ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN'])
    assert.equal(isUnanswered(coded(code)), false);
  assert.equal(isUnanswered(new AggregateError(unanswered)), true);
  assert.equal(isUnanswered(new AggregateError([...unanswered, coded('ECONNREFUSED')])), false);
});
