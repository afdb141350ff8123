import { GpuSelector } from '#engine';
import { pythonFolder } from '#training';
import type { Config } from '../config.ts';

type LogLine = (level: 'debug' | 'info' | 'warn' | 'error', message: string, fields: object) => void;

/** What models of this server run on. */
export function openGpuSelector(config: Config, log: LogLine): GpuSelector {
  const { dataDir, environment, engineGpu: setting, trainingPython } = config;
  return new GpuSelector({ setting, dataDir, environment, log, pythonFolder: pythonFolder(trainingPython) });
}
