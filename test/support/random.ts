import { randomInt } from 'node:crypto';

/** Random choices that a seed repeats. */
export type Random = {
  /** 0 inclusive to `below` exclusive. */
  integer: (below: number) => number;
  /** One of at least one. */
  pick: <T>(from: readonly T[]) => T;
  chance: (probability: number) => boolean;
};

/** A whole run gives the same everywhere (`TEST_SEED`); alone, a file is tried with other choices each time. */
export function randomOfRun(): Random {
  return seededRandom(Number(process.env['TEST_SEED'] ?? randomInt(2 ** 32)));
}

/** A linear congruential generator modulo 2^32 (constants of Numerical Recipes), of which the high bits are used. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  for (let i = 0; i < 8; i++) next();
  const integer = (below: number) => Math.floor(next() * below);
  return {
    integer,
    pick: (from) => {
      const [picked] = from.slice(integer(from.length));
      if (picked === undefined) throw new Error('There is nothing to pick from.');
      return picked;
    },
    chance: (probability) => next() < probability,
  };
}
