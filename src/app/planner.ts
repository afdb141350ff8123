import { defaultSettings, type GpuSelector, ModelPlanner } from '#engine';
import type { UsePlanner } from '#models';
import type { Config } from '../config.ts';

/** Plans models as a server with this configuration does. */
export function createUsePlanner(config: Config, gpu: Pick<GpuSelector, 'target'>): UsePlanner {
  return async (work) => {
    const defaults = defaultSettings();
    const planner = new ModelPlanner({
      settings: {
        ...defaults,
        threads: config.engineThreads ?? defaults.threads,
        gpu: await gpu.target(),
        sequences: config.engineSequences,
      },
      memoryLimitBytes: config.engineMemoryBytes,
      environment: config.environment,
      log: () => {},
    });
    try {
      return await work(planner);
    } finally {
      await planner.close();
    }
  };
}
