import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '#test/random.ts';
import type { Replica } from './replica.ts';

/** What can happen to replicas while others serve. Each ends with all of them ready again. */
export type Fault = { name: string; strike: (replicas: readonly Replica[], random: Random) => Promise<string> };

const victimOf = (replicas: readonly Replica[], random: Random) => random.pick(replicas);
const msOf = (random: Random, least: number, most: number) => least + random.integer(most - least);

/** The cable is out for a while: clients, database and the balancer are all out of reach. */
const cutOff: Fault = {
  name: 'cut off',
  async strike(replicas, random) {
    const replica = victimOf(replicas, random);
    const ms = msOf(random, 4_000, 9_000);
    const { link } = replica.place;
    if (!link) return 'left out: it has no cable of its own';
    await link('down');
    await sleep(ms);
    await link('up');
    await untilReady(replica);
    return `${replica.name} for ${ms} ms`;
  },
};

const killed: Fault = {
  name: 'killed',
  async strike(replicas, random) {
    const replica = victimOf(replicas, random);
    await replica.end('SIGKILL');
    await sleep(msOf(random, 0, 2_000));
    await replica.start();
    return replica.name;
  },
};

/** It stands still, and then goes on as if nothing had been; long enough that others take it for dead. */
const frozen: Fault = {
  name: 'frozen',
  async strike(replicas, random) {
    const replica = victimOf(replicas, random);
    const ms = msOf(random, 17_000, 20_000);
    replica.signal('SIGSTOP');
    await sleep(ms);
    replica.signal('SIGCONT');
    await untilReady(replica);
    return `${replica.name} for ${ms} ms`;
  },
};

/** All that it says is late; without netem it gets half of the time only, in pieces. */
const slowed: Fault = {
  name: 'slowed',
  async strike(replicas, random) {
    const replica = victimOf(replicas, random);
    const ms = msOf(random, 5_000, 8_000);
    const { delay } = replica.place;
    if (delay) {
      await delay(200);
      await sleep(ms);
      await delay(0);
      return `${replica.name} by 200 ms for ${ms} ms`;
    }
    const until = Date.now() + ms;
    while (Date.now() < until) {
      replica.signal('SIGSTOP');
      await sleep(200);
      replica.signal('SIGCONT');
      await sleep(200);
    }
    return `${replica.name} stopped half of the time for ${ms} ms`;
  },
};

/** As a new release comes: one after the other ends in order and starts again. */
const rolled: Fault = {
  name: 'rolling restart',
  async strike(replicas) {
    for (const replica of replicas) {
      await replica.end('SIGTERM');
      await replica.start();
    }
    return 'all of them';
  },
};

export const faults: readonly Fault[] = [cutOff, killed, frozen, slowed, rolled];

/** In an order that the seed decides. */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const left = [...items];
  const order: T[] = [];
  while (left.length > 0) order.push(...left.splice(random.integer(left.length), 1));
  return order;
}

async function untilReady(replica: Replica): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await replica.isReady())) {
    if (Date.now() > deadline) throw new Error(`${replica.name} did not come back.`);
    await sleep(100);
  }
}
