/**
 * Milliseconds of processor time that this thread spends on the work: what the machine does meanwhile for others is not
 * counted, so that a test may bound it.
 */
export function cpuMsOf(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
