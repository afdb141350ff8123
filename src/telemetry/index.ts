export { createLog } from './log.ts';
export { openLogStream } from './log-stream.ts';
export { createTelemetry } from './telemetry.ts';
