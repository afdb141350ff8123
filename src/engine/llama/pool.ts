import { type Clock, createOutage, fault, type Outage } from '#kernel';
import type { ProcessEnvironment } from '#processes';
import type { GpuTarget } from '../gpu/backends.ts';
import type { EngineModel } from '../port.ts';
import type { EngineLog } from './engine-process.ts';
import type { LoadSettings } from './load-settings.ts';
import {
  fewestAdapterContexts,
  type LoadedModel,
  type LoadPlan,
  type PlannedLoad,
  planLoad,
  type RefusedPlan,
} from './memory.ts';
import { configOf, gpuReserveBytes, MemoryMeter, type ModelMemory } from './memory-meter.ts';
import type { MemoryBytes } from './memory-protocol.ts';
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
  /** What models are loaded on; false: on the CPU. */
  gpu: () => Promise<GpuTarget | false>;
};

type ModelInNeed = Pick<ModelMemory, 'need' | 'device'>;

const leaseSliceMs = 50;

/** All base models of this process: one thread lease and one memory plan for their children. */
export class Pool {
  readonly #options: ModelPoolOptions;
  readonly #lease: LeaseManager<Session>;
  readonly #runtimes = new Map<string, ModelRuntime>();
  readonly #promised = new Map<string, MemoryBytes>();
  /** Of models that found too little memory; every call that is refused asks for it anew. */
  readonly #shortages = new Map<string, Outage<object>>();
  readonly #meter: MemoryMeter;
  #planning: Promise<unknown> = Promise.resolve();

  constructor(options: ModelPoolOptions) {
    this.#options = options;
    this.#meter = new MemoryMeter(options);
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
      planLoad: async (model, { usesGpu }) => {
        const gpu = usesGpu ? await this.#options.gpu() : false;
        return this.#planLoad(model, { ...settings, gpu });
      },
    });
    this.#runtimes.set(modelId, runtime);
    return runtime;
  }

  async close(): Promise<void> {
    await Promise.all([this.#meter.close(), ...[...this.#runtimes.values()].map((runtime) => runtime.close())]);
  }

  async #planLoad(model: EngineModel, settings: LoadSettings): Promise<PlannedLoad> {
    const measured = await this.#meter.memoryOf(model, settings);
    const plan = await this.#reserveMemory(model.id, measured);
    const config = await this.#meter.placedConfig(configOf(model, settings), measured, plan);
    return { config, memory: plan.memory };
  }

  /** One plan at a time: the next one sees what this one promised and unloaded. */
  #reserveMemory(modelId: string, memory: ModelInNeed): Promise<LoadPlan> {
    const planned = this.#planning.then(() => this.#plan(modelId, memory));
    this.#planning = planned.catch(() => undefined);
    return planned;
  }

  async #plan(modelId: string, memory: ModelInNeed): Promise<LoadPlan> {
    const { log } = this.#options;
    const shortage = this.#shortageOf(modelId);
    const plan = this.#planNow(modelId, memory);
    if (plan.type === 'refused') {
      shortage.fails(plan);
      throw fault('capacity_unavailable', {
        message: 'There is too little memory to load this model at present.',
        retryAfterSeconds: plan.busy ? 10 : 59,
      });
    }
    shortage.works();
    const { adapterContexts, sequences, evict } = plan;
    if (sequences < (memory.need[0]?.sequences ?? 0))
      log('warn', 'Too little memory for all sequences: the model runs fewer calls at once', {
        model: modelId,
        sequences,
      });
    if (adapterContexts < fewestAdapterContexts)
      log('warn', 'Too little memory for all contexts of adapters', { model: modelId, adapterContexts });
    this.#promised.set(modelId, plan.memory);
    await Promise.all(evict.map((id) => this.#runtimes.get(id)?.unload('memory for another model')));
    return plan;
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

  #planNow(modelId: string, { need, device }: ModelInNeed): LoadPlan | RefusedPlan {
    const { settings, freeMemory } = this.#options;
    const free = { ram: freeMemory(), vram: (device?.freeBytes ?? 0) - gpuReserveBytes };
    const loaded: LoadedModel[] = [];
    for (const [id, runtime] of this.#runtimes) {
      for (const memory of runtime.memory()) loaded.push({ id, ...memory });
      if (id === modelId || runtime.status().status !== 'loading') this.#promised.delete(id);
      const memory = this.#promised.get(id);
      if (memory === undefined) continue;
      free.ram -= memory.ram;
      free.vram -= memory.vram;
      loaded.push({ id, memory, idle: false, lastUsedMs: 0 });
    }
    return planLoad({ need, free, limitBytes: settings.memoryLimitBytes, loaded });
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

/**
 * The thread lease. llama.cpp's threads spin, so two models decoding at once on the same cores slow each other
 * down many times over. All engine children share one budget: only the member that holds the lease runs steps.
 *
 * States of a member: away (no work), waiting (first come, first served), holding, yielding (asked to give back after its step).
 *   away → holding        it wants, and nobody holds
 *   away → waiting        it wants, and somebody holds
 *   holding → yielding    its slice is over and others wait
 *   holding → away        it gives back, its work done
 *   yielding → waiting    it gives back and has work left
 *   yielding → away       it gives back and has none
 *   any → away            it died
 * A member alone keeps the lease until it has no work. Pure: time comes in, actions go out.
 */
export type LeaseAction<Member> = { type: 'grant' | 'yield'; member: Member };

export type Lease<Member> = {
  want: (member: Member, nowMs: number) => LeaseAction<Member>[];
  /** The holder gives the lease back; last in the queue again if it has work left. */
  back: (member: Member, hasWork: boolean, nowMs: number) => LeaseAction<Member>[];
  gone: (member: Member, nowMs: number) => LeaseAction<Member>[];
  sliceOver: (nowMs: number) => LeaseAction<Member>[];
  /** When the holder's slice ends, if somebody waits for it; else null. */
  dueMs: () => number | null;
  holder: () => Member | null;
};

export function createLease<Member>(sliceMs: number): Lease<Member> {
  let holding: { member: Member; sinceMs: number; yielding: boolean } | null = null;
  const waiting = new Set<Member>();

  const pass = (nowMs: number): LeaseAction<Member>[] => {
    holding = null;
    for (const member of waiting) {
      waiting.delete(member);
      holding = { member, sinceMs: nowMs, yielding: false };
      return [{ type: 'grant', member }];
    }
    return [];
  };
  const sliceOver = (nowMs: number): LeaseAction<Member>[] => {
    if (holding === null || holding.yielding || waiting.size === 0) return [];
    if (nowMs < holding.sinceMs + sliceMs) return [];
    holding.yielding = true;
    return [{ type: 'yield', member: holding.member }];
  };

  return {
    want: (member, nowMs) => {
      if (holding?.member === member) return [];
      waiting.add(member);
      return holding === null ? pass(nowMs) : sliceOver(nowMs);
    },
    back: (member, hasWork, nowMs) => {
      if (holding?.member !== member) return [];
      if (hasWork) waiting.add(member);
      return pass(nowMs);
    },
    gone: (member, nowMs) => {
      waiting.delete(member);
      return holding?.member === member ? pass(nowMs) : [];
    },
    sliceOver,
    dueMs: () => (holding === null || holding.yielding || waiting.size === 0 ? null : holding.sinceMs + sliceMs),
    holder: () => holding?.member ?? null,
  };
}
