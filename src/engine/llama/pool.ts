import { type Clock, createOutage, fault, type Outage } from '#kernel';
import type { ProcessEnvironment } from '#processes';
import type { EngineModel } from '../port.ts';
import type { EngineLog } from './engine-process.ts';
import { createLease, type LeaseAction } from './lease.ts';
import { fewestAdapterContexts, type LoadedModel, type MemoryNeed, type MemoryPlan, planLoad } from './memory.ts';
import { ModelRuntime } from './runtime.ts';
import type { RuntimeSettings } from './runtime-state.ts';
import type { Session } from './session.ts';
import type { LeaseManager } from './session-requests.ts';

export type ModelPoolOptions = {
  models: () => readonly EngineModel[];
  settings: RuntimeSettings & { memoryLimitBytes: number | null };
  childScript: string;
  environment: ProcessEnvironment;
  clock: Clock;
  log: EngineLog;
  freeMemory: () => number;
};

const leaseSliceMs = 50;

/** All base models of this process: one thread lease and one memory plan for their children. */
export class Pool {
  readonly #options: ModelPoolOptions;
  readonly #lease: LeaseManager<Session>;
  readonly #runtimes = new Map<string, ModelRuntime>();
  readonly #promised = new Map<string, number>();
  /** Of models that found too little memory; every call that is refused asks for it anew. */
  readonly #shortages = new Map<string, Outage<object>>();
  #planning: Promise<unknown> = Promise.resolve();

  constructor(options: ModelPoolOptions) {
    this.#options = options;
    this.#lease = createLeaseManager(options.clock);
  }

  runtime(modelId: string): ModelRuntime {
    const known = this.#runtimes.get(modelId);
    if (known !== undefined) return known;
    const { models, settings, childScript, environment, clock, log } = this.#options;
    const runtime = new ModelRuntime({
      modelId,
      model: () => models().find((model) => model.id === modelId),
      settings,
      childScript,
      environment,
      clock,
      log,
      lease: this.#lease,
      reserveMemory: (id, need) => this.#reserveMemory(id, need),
    });
    this.#runtimes.set(modelId, runtime);
    return runtime;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#runtimes.values()].map((runtime) => runtime.close()));
  }

  /** One plan at a time: the next one sees what this one promised and unloaded. */
  #reserveMemory(modelId: string, need: MemoryNeed): Promise<number> {
    const planned = this.#planning.then(() => this.#plan(modelId, need));
    this.#planning = planned.catch(() => undefined);
    return planned;
  }

  async #plan(modelId: string, need: MemoryNeed): Promise<number> {
    const { log } = this.#options;
    const shortage = this.#shortageOf(modelId);
    const plan = this.#planNow(modelId, need);
    if (plan.type === 'refused') {
      shortage.fails(plan);
      throw fault('capacity_unavailable', {
        message: 'There is too little memory to load this model at present.',
        retryAfterSeconds: plan.busy ? 10 : 59,
      });
    }
    shortage.works();
    const { adapterContexts, evict } = plan;
    if (adapterContexts < fewestAdapterContexts)
      log('warn', 'Too little memory for all contexts of adapters', { model: modelId, adapterContexts });
    this.#promised.set(modelId, need.baseBytes + adapterContexts * need.contextBytes);
    await Promise.all(evict.map((id) => this.#runtimes.get(id)?.unload('memory for another model')));
    return adapterContexts;
  }

  #shortageOf(model: string): Outage<object> {
    const { log, clock } = this.#options;
    const shortage =
      this.#shortages.get(model) ??
      createOutage<object>({
        log: (plan, alike) =>
          log('error', 'Too little memory to load the model', { model, ...plan, ...(alike === 0 ? {} : { alike }) }),
        logEnd: (failures) => log('info', 'There is memory to load the model again', { model, failures }),
        nowMs: clock.monotonicMs,
      });
    this.#shortages.set(model, shortage);
    return shortage;
  }

  #planNow(modelId: string, need: MemoryNeed): MemoryPlan {
    const { settings, freeMemory } = this.#options;
    let promisedBytes = 0;
    const loaded: LoadedModel[] = [];
    for (const [id, runtime] of this.#runtimes) {
      const memory = id === modelId ? null : runtime.memory();
      if (memory !== null) loaded.push({ id, ...memory });
      if (id === modelId || runtime.status().status !== 'loading') this.#promised.delete(id);
      const bytes = this.#promised.get(id);
      if (bytes === undefined) continue;
      promisedBytes += bytes;
      loaded.push({ id, bytes, idle: false, lastUsedMs: 0 });
    }
    const freeBytes = freeMemory() - promisedBytes;
    return planLoad({ need, freeBytes, limitBytes: settings.memoryLimitBytes, loaded });
  }
}

function createLeaseManager(clock: Clock): LeaseManager<Session> {
  const lease = createLease<Session>(leaseSliceMs);
  let timer: NodeJS.Timeout | null = null;

  const apply = (actions: LeaseAction<Session>[]) => {
    for (const { type, member } of actions) member.steps(type);
    const dueMs = lease.dueMs();
    if (dueMs === null || timer !== null) return;
    timer = setTimeout(
      () => {
        timer = null;
        apply(lease.sliceOver(clock.monotonicMs()));
      },
      Math.max(0, dueMs - clock.monotonicMs()),
    ).unref();
  };
  return {
    want: (member) => apply(lease.want(member, clock.monotonicMs())),
    back: (member, hasWork) => apply(lease.back(member, hasWork, clock.monotonicMs())),
    gone: (member) => apply(lease.gone(member, clock.monotonicMs())),
    holder: lease.holder,
  };
}
