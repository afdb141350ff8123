export { createLog } from './log.ts';
export { createTelemetry } from './telemetry.ts';
