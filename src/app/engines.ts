import { createEngine, createRemoteEngine, createRoutedEngine, createTokenCounter, defaultSettings } from '#engine';
import { createServingRoutes, withRoutes } from '#models';
import type { Training } from '#training';
import { openGpuSelector } from './gpu-selector.ts';
import type { AppOptions, Infrastructure } from './infrastructure.ts';
import { createUsePlanner } from './planner.ts';

export type Engines = ReturnType<typeof openEngines>;

/**
 * The engine of this server and those it has routes to, with the base models that they serve.
 * @param served what was trained; made after the engines, which ask for it when they are called.
 */
export function openEngines(options: AppOptions, { clock }: Infrastructure, served: () => Training['served']) {
  const { config, database, log } = options;
  const serving = createServingRoutes({
    sql: database,
    find: options.models.findKnown,
    environment: config.environment,
    onWarning: (line) => log.warn(line),
  });
  const models = withRoutes(options.models, serving);
  const forChildren = {
    models: models.engineModels,
    environment: config.environment,
    log: (level: 'debug' | 'info' | 'warn' | 'error', message: string, fields: object) => log[level](fields, message),
  };
  const tokenCounter = createTokenCounter(forChildren);
  const defaults = defaultSettings();
  const settings = {
    ...defaults,
    threads: config.engineThreads ?? defaults.threads,
    sequences: config.engineSequences,
    maxQueue: config.engineQueue,
    idleUnloadMs: config.engineIdleUnloadMs,
    memoryLimitBytes: config.engineMemoryBytes,
    ...options.engine,
  };
  const gpu = openGpuSelector(config, forChildren.log);
  const { isInstalled } = models;
  const engine = createRoutedEngine({
    own: createEngine({ ...forChildren, settings, clock, gpu: () => gpu.target() }),
    remote: createRemoteEngine({
      routes: serving.routes,
      clock,
      log: forChildren.log,
      waiting: settings,
      isInstalled,
      adapters: { writePeft: (sha256, folder) => served().writePeft(sha256, folder) },
      countHere: async (id, items, signal) => (isInstalled(id) ? tokenCounter.count(id, items, signal) : null),
      countPromptHere: async (prompt, most, signal) =>
        isInstalled(prompt.target.baseModelId) ? tokenCounter.countPrompt(prompt, most, signal) : null,
    }),
    isInstalled,
    provideAdapter: (adapter) => served().provideFile(adapter),
  });
  return { serving, models, forChildren, tokenCounter, engine, gpu, usePlanner: createUsePlanner(config, gpu) };
}
