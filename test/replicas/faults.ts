import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '#test/random.ts';
import type { Machine } from './machine.ts';

/** What can happen to some machines while others serve. Ends with all of them ready again; says what was done. */
export type Fault = { name: string; strike: (random: Random) => Promise<string> };

const msOf = (random: Random, least: number, most: number) => least + random.integer(most - least);

/** The cable is out for a while: whoever talks to it has no answer and no refusal. */
export const cutOff = (machines: readonly Machine[]): Fault => ({
  name: 'cut off',
  async strike(random) {
    const machine = random.pick(machines);
    const ms = msOf(random, 4_000, 9_000);
    const { link } = machine.place;
    if (!link) return 'left out: it has no cable of its own';
    await link('down');
    await sleep(ms);
    await link('up');
    await machine.untilReady();
    return `${machine.name} for ${ms} ms`;
  },
});

export const killed = (machines: readonly Machine[]): Fault => ({
  name: 'killed',
  async strike(random) {
    const machine = random.pick(machines);
    if (!machine.isMortal) return `left out: ${machine.name} has no machine of its own`;
    await machine.end('SIGKILL');
    await sleep(msOf(random, 0, 2_000));
    const from = Date.now();
    await machine.start();
    return `${machine.name}, ready ${Date.now() - from} ms after its start`;
  },
});

/** It stands still, and then goes on as if nothing had been; long enough that others take it for dead. */
export const frozen = (machines: readonly Machine[]): Fault => ({
  name: 'frozen',
  async strike(random) {
    const machine = random.pick(machines);
    const ms = msOf(random, 17_000, 20_000);
    machine.signal('SIGSTOP');
    await sleep(ms);
    machine.signal('SIGCONT');
    await machine.untilReady();
    return `${machine.name} for ${ms} ms`;
  },
});

/** All that it says is late; without netem it gets half of the time only, in pieces. */
export const slowed = (machines: readonly Machine[]): Fault => ({
  name: 'slowed',
  async strike(random) {
    const machine = random.pick(machines);
    const ms = msOf(random, 5_000, 8_000);
    const { delay } = machine.place;
    if (delay) {
      await delay(200);
      await sleep(ms);
      await delay(0);
      return `${machine.name} by 200 ms for ${ms} ms`;
    }
    const until = Date.now() + ms;
    while (Date.now() < until) {
      machine.signal('SIGSTOP');
      await sleep(200);
      machine.signal('SIGCONT');
      await sleep(200);
    }
    return `${machine.name} stopped half of the time for ${ms} ms`;
  },
});

/** As a new release comes: one after the other ends in order and starts again. */
export const rolled = (machines: readonly Machine[]): Fault => ({
  name: 'rolling restart',
  async strike() {
    for (const machine of machines) {
      await machine.end('SIGTERM');
      await machine.start();
    }
    return machines.map(({ name }) => name).join(', ');
  },
});

export type Minded = {
  name: string;
  /** Its process at present. */
  pid: () => number | undefined;
  answers: () => Promise<boolean>;
};

/** Something that is brought back by whoever minds it. */
export const lost = ({ name, pid, answers }: Minded): Fault => ({
  name: 'killed',
  async strike() {
    const from = Date.now();
    const before = pid();
    if (before) process.kill(before, 'SIGKILL');
    while (pid() === before || !(await answers())) {
      if (Date.now() - from > 60_000) throw new Error(`${name} did not come back.`);
      await sleep(20);
    }
    return `${name}, back after ${Date.now() - from} ms`;
  },
});

/** In an order that the seed decides. */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const left = [...items];
  const order: T[] = [];
  while (left.length > 0) order.push(...left.splice(random.integer(left.length), 1));
  return order;
}
