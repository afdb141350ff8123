import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault, systemClock } from '#kernel';
import type { Adapter, Delta } from '../../port.ts';
import { routeTo } from '../remote-engine.fixture.ts';
import { createRemoteEngine } from '../remote-engine.ts';
import type { ServingRoute } from '../serving-route.ts';
import { type LoraPeerOptions, startLoraPeer } from './lora-peer.fixture.ts';

const root = mkdtempSync(join(tmpdir(), 'fanfold-adapters-'));
const stops: (() => Promise<void>)[] = [];
after(async () => {
  await Promise.all(stops.map((stop) => stop()));
  rmSync(root, { recursive: true, force: true });
});

type Peer = Awaited<ReturnType<typeof startLoraPeer>>;

async function peer(options: LoraPeerOptions): Promise<Peer> {
  const started = await startLoraPeer(options);
  stops.push(started.stop);
  return started;
}

const adapterOf = (letter: string): Adapter => ({ sha256: letter.repeat(64), path: '/nowhere' });
const nameOf = (letter: string) => `fanfold-${letter.repeat(64)}`;
const signal = () => AbortSignal.timeout(180_000);

/** An engine with routes to these peers and a folder that they share with it. */
function engineOf(peers: Peer[], more: Partial<ServingRoute> = {}) {
  const folder = mkdtempSync(join(root, 'shared-'));
  const written: string[] = [];
  const time = { passedMs: 0 };
  const routes = peers.map(({ url, api }, at) => routeTo(`r${at}`, url, { api, adaptersFolder: folder, ...more }));
  const engine = createRemoteEngine({
    routes: () => routes,
    countHere: async () => null,
    clock: { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + time.passedMs },
    log: () => {},
    adapters: {
      async writePeft(sha256, into) {
        written.push(sha256);
        await writeFile(join(into, 'adapter_config.json'), '{}');
        await writeFile(join(into, 'adapter_model.safetensors'), sha256);
      },
    },
  });
  stops.push(() => engine.close());
  /** Asks, and tells which adapter has answered. */
  const ask = async (letter: string | null): Promise<string> => {
    const target = { baseModelId: 'big', adapter: letter === null ? null : adapterOf(letter) };
    const { handle } = await engine.prepareChat(
      {
        target,
        messages: [{ role: 'user', content: 'Hi' }],
        tools: [],
        toolChoice: { mode: 'auto' },
        parallelToolCalls: true,
        responseFormat: { type: 'text' },
        reasoningEffort: null,
      },
      signal(),
    );
    return run(handle);
  };
  const run = async (handle: string): Promise<string> => {
    const sampling = {
      maxTokens: 9,
      temperature: 0,
      topP: 1,
      presencePenalty: 0,
      frequencyPenalty: 0,
      seed: null,
      stop: [],
    };
    const deltas: Delta[] = [];
    await engine.generate({ handle, sampling, cacheScope: 'ada', signal: signal() }, (each) => deltas.push(each));
    return deltas.map((each) => ('text' in each ? each.text : '')).join('');
  };
  return { engine, folder, written, time, ask };
}

const isFault = (name: string) => (error: unknown) => error instanceof Fault && error.fault === name;

for (const api of ['vllm', 'sglang'] as const)
  describe(`adapters on ${api}`, { timeout: 300_000 }, () => {
    test('an adapter is put into the shared folder, loaded once under its digest, and answers; the base answers without', async () => {
      const server = await peer({ api });
      const { ask, folder, written } = engineOf([server]);
      assert.equal(await ask('a'), nameOf('a'));
      assert.equal(await ask('a'), nameOf('a'));
      assert.equal(await ask('b'), nameOf('b'));
      assert.equal(await ask(null), 'theirs');
      const path = (letter: string) => join(folder, letter.repeat(64));
      assert.deepEqual(
        server.loads(),
        ['a', 'b'].map((letter) => ({ lora_name: nameOf(letter), lora_path: path(letter) })),
      );
      assert.deepEqual(
        readdirSync(folder)
          .filter((name) => !name.startsWith('.'))
          .toSorted(),
        ['a', 'b'].map((letter) => letter.repeat(64)),
      );
      assert.equal(readFileSync(join(path('a'), 'adapter_model.safetensors'), 'utf8'), 'a'.repeat(64));
      assert.equal(written.length, 2);
    });

    test('what is put into the shared folder is as open as the folder, whatever the umask', async (t) => {
      const { ask, folder } = engineOf([await peer({ api })]);
      chmodSync(folder, 0o755);
      const usual = process.umask(0o077);
      t.after(() => process.umask(usual));
      await ask('a');
      const path = join(folder, 'a'.repeat(64));
      const modes = [path, join(path, 'adapter_config.json')].map((each) => statSync(each).mode & 0o777);
      assert.deepEqual(modes, [0o755, 0o644]);
    });

    test('many calls that come at once load an adapter once', async () => {
      const server = await peer({ api });
      const { ask, written } = engineOf([server], { capacity: 20 });
      const answers = await Promise.all(Array.from({ length: 20 }, () => ask('a')));
      assert.deepEqual(new Set(answers), new Set([nameOf('a')]));
      assert.deepEqual([server.loads().length, written.length], [1, 1]);
    });

    test('an engine that was started anew gets the adapter again, and no call runs twice', async () => {
      const server = await peer({ api });
      const { ask } = engineOf([server]);
      await ask('a');
      server.restart();
      assert.equal(await ask('a'), nameOf('a'));
      assert.equal(server.loads().length, 2);
      assert.deepEqual(server.runs, [nameOf('a'), nameOf('a')]);
    });

    test('an adapter that the engine has already is taken as it is', async () => {
      const server = await peer({ api });
      await engineOf([server]).ask('a');
      assert.equal(await engineOf([server]).ask('a'), nameOf('a'));
    });

    test('where the engine has no room, the adapter that was used least recently goes', async () => {
      const server = await peer({ api, slots: 2 });
      const { ask } = engineOf([server]);
      for (const letter of ['a', 'b', 'a', 'c']) assert.equal(await ask(letter), nameOf(letter));
      assert.deepEqual([...server.held.keys()].toSorted(), [nameOf('a'), nameOf('c')]);
      // Another server knows nothing of those, and needs their room as well.
      assert.equal(await engineOf([server]).ask('d'), nameOf('d'));
      assert.equal(await ask('a'), nameOf('a'));
    });

    test('calls for an adapter go where it is', async () => {
      const servers = [await peer({ api }), await peer({ api })];
      const { ask } = engineOf(servers);
      for (let n = 0; n < 4; n += 1) await ask('a');
      const loads = servers.map((server) => server.loads().length);
      assert.deepEqual(loads.toSorted(), [0, 1]);
    });

    test('an engine that loads no adapters refuses the call and stays up for the base, and is not asked again at once', async () => {
      const server = await peer({ api, isOpen: false });
      const { ask } = engineOf([server]);
      for (let n = 0; n < 3; n += 1) await assert.rejects(ask('a'), isFault('capacity_unavailable'));
      assert.equal(server.loads().length, 1);
      assert.equal(await ask(null), 'theirs');
    });

    test('the engine is told the path of the folder as it is called there', async () => {
      const server = await peer({ api });
      const { ask } = engineOf([server], { adaptersSeenAs: '/mnt/adapters' });
      await assert.rejects(ask('a'), isFault('capacity_unavailable'));
      assert.equal(server.loads()[0]?.lora_path, `/mnt/adapters/${'a'.repeat(64)}`);
    });

    test('files of an adapter are marked while it is used, and brought again when they are gone', async () => {
      const server = await peer({ api });
      const { ask, folder, written, time } = engineOf([server]);
      const path = join(folder, 'a'.repeat(64));
      await ask('a');
      utimesSync(path, 0, 0);
      time.passedMs += 61_000;
      await ask('a');
      while (statSync(path).mtimeMs === 0) await sleep(5);

      rmSync(path, { recursive: true });
      time.passedMs += 61_000;
      while (written.length === 1) assert.equal(await ask('a'), nameOf('a'));
      rmSync(path, { recursive: true });
      time.passedMs += 25 * 3_600_000;
      assert.equal(await ask('a'), nameOf('a'));
      assert.equal(written.length, 3, 'after a day they are looked for before the engine is asked');
      assert.ok(existsSync(join(path, 'adapter_config.json')));
    });

    test('a shared folder that is not there, and an adapter that cannot be brought, leave nothing behind', async () => {
      const server = await peer({ api });
      const { ask, engine } = engineOf([server], { adaptersFolder: join(root, 'no-such-folder') });
      await assert.rejects(ask('a'), isFault('capacity_unavailable'));
      assert.ok(server.got.every(({ path }) => path === '/tokenize'));
      assert.equal(existsSync(join(root, 'no-such-folder')), false);
      assert.equal(engine.load('big').running, 0);
    });
  });

test('routes without a shared folder, and engines that would embed without the adapter in silence, serve none', async () => {
  const server = await peer({ api: 'sglang' });
  const target = { baseModelId: 'big', adapter: adapterOf('a') };
  assert.equal(engineOf([server]).engine.serves(target), true);
  assert.equal(engineOf([server], { adaptersFolder: null }).engine.serves(target), false);
  assert.equal(engineOf([server], { kind: 'embedding' }).engine.serves(target), false);
  assert.equal(engineOf([server], { api: 'openai' }).engine.serves(target), false);
  assert.equal(engineOf([server], { kind: 'embedding', api: 'vllm' }).engine.serves(target), true);
});
