import { Gauge, type Registry } from 'prom-client';

/** States of what runs in this process, asked for when somebody looks. */
export type Observed = {
  /** Base models that are installed, or served by routes. */
  models: () => readonly string[];
  runtime: (model: string) => { status: RuntimeState; running: number; waiting: number };
  /** Connections to the database, and statements that wait for one. */
  database: () => { open: number; idle: number; waiting: number };
  /** Calls of projects with auto-save, since the start. */
  savedCalls: () => { stored: number; skipped: number; dropped: number };
};

const runtimeStates = ['cold', 'loading', 'ready', 'failed'] as const;
type RuntimeState = (typeof runtimeStates)[number];

export function watchState(registry: Registry, observed: Observed): void {
  watchModels(registry, observed);
  watchConnections(registry, observed);
  watchSavedCalls(registry, observed);
}

function watchModels(registry: Registry, observed: Pick<Observed, 'models' | 'runtime'>): void {
  new Gauge({
    name: 'fanfold_model_state',
    help: 'What the engine does with a base model: 1 for the state that holds.',
    labelNames: ['model', 'state'] as const,
    registers: [registry],
    collect() {
      this.reset();
      for (const model of observed.models()) {
        const { status } = observed.runtime(model);
        for (const state of runtimeStates) this.set({ model, state }, state === status ? 1 : 0);
      }
    },
  });
  new Gauge({
    name: 'fanfold_model_calls',
    help: 'Calls in the engine by base model: those that it works on and those in its queue.',
    labelNames: ['model', 'stage'] as const,
    registers: [registry],
    collect() {
      this.reset();
      for (const model of observed.models()) {
        const { running, waiting } = observed.runtime(model);
        this.set({ model, stage: 'running' }, running);
        this.set({ model, stage: 'waiting' }, waiting);
      }
    },
  });
}

function watchConnections(registry: Registry, observed: Pick<Observed, 'database'>): void {
  new Gauge({
    name: 'fanfold_database_connections',
    help: 'Connections to the database by what they do; waiting: statements without a connection.',
    labelNames: ['state'] as const,
    registers: [registry],
    collect() {
      const { open, idle, waiting } = observed.database();
      this.set({ state: 'busy' }, open - idle);
      this.set({ state: 'idle' }, idle);
      this.set({ state: 'waiting' }, waiting);
    },
  });
}

function watchSavedCalls(registry: Registry, observed: Pick<Observed, 'savedCalls'>): void {
  new Gauge({
    name: 'fanfold_saved_calls',
    help: 'Calls of projects with auto-save since the start, by what became of them.',
    labelNames: ['outcome'] as const,
    registers: [registry],
    collect() {
      for (const [outcome, count] of Object.entries(observed.savedCalls())) this.set({ outcome }, count);
    },
  });
}
