import { defaultSettings, type EngineSettings } from '#engine';
import type { Config } from '../config.ts';

export function telemetrySettingsOf({ operatorHost: host, operatorPort: port, otlpEndpoint, ...config }: Config) {
  return {
    operator: port === null ? null : { host, port },
    tracing:
      otlpEndpoint === null
        ? null
        : { endpoint: otlpEndpoint, serviceName: config.otelServiceName, ratio: config.traceRatio },
  };
}

export function engineSettingsOf(config: Config): EngineSettings {
  const defaults = defaultSettings();
  return {
    ...defaults,
    threads: config.engineThreads ?? defaults.threads,
    gpu: config.engineGpu,
    sequences: config.engineSequences,
    maxQueue: config.engineQueue,
    idleUnloadMs: config.engineIdleUnloadMs,
    memoryLimitBytes: config.engineMemoryBytes,
  };
}
