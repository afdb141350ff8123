import path from 'node:path';
import { isWell, Machine } from './machine.ts';
import type { Place } from './network.ts';

export const program = path.join(import.meta.dirname, '../../src/main.ts');
const keyPattern = /fnf_[0-9A-Za-z]{49}/;

export type ReplicaOptions = {
  name: string;
  place: Place;
  dataDir: string;
  environment: Record<string, string>;
  /** `worker`: it answers nobody but its operator, on the port where others answer callers. */
  role?: 'worker';
};

/** A `fanfold serve` in its place. */
export class Replica extends Machine {
  constructor({ name, place, dataDir, environment, role }: ReplicaOptions) {
    const address =
      role === 'worker'
        ? { FANFOLD_OPERATOR_HOST: place.host, FANFOLD_OPERATOR_PORT: String(place.port) }
        : { HOST: place.host, PORT: String(place.port) };
    const roles = role ? ['--roles', role] : [];
    super({
      name,
      place,
      launch: async () => ({
        args: [process.execPath, program, 'serve', ...roles],
        environment: { FANFOLD_DATA_DIR: dataDir, FANFOLD_LOG_LEVEL: 'warn', ...address, ...environment },
      }),
      isReady: () => isWell(`http://${place.host}:${place.port}/readyz`),
    });
  }

  get url(): string {
    return `http://${this.place.host}:${this.place.port}`;
  }

  /** The key that the first start of a database prints. */
  get key(): string | null {
    return keyPattern.exec(this.output)?.[0] ?? null;
  }
}
