export { createLog } from './log.ts';
export { createTelemetry, type Telemetry, type TelemetryOptions } from './telemetry.ts';
