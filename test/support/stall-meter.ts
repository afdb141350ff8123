const tickMs = 10;

/**
 * Measures how long this process kept its own event loop busy at most, ms. Time in which the process did not run,
 * because the machine had other work, is not counted.
 */
export function startStallMeter(): { maxMs: () => number } {
  let worstMs = 0;
  let wallMs = performance.now();
  let cpu = process.threadCpuUsage();
  setInterval(() => {
    const lateMs = performance.now() - wallMs - tickMs;
    const { user, system } = process.threadCpuUsage(cpu);
    worstMs = Math.max(worstMs, Math.min(lateMs, (user + system) / 1_000));
    wallMs = performance.now();
    cpu = process.threadCpuUsage();
  }, tickMs).unref();
  return { maxMs: () => worstMs };
}
