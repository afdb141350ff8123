import { readFileSync } from 'node:fs';
import { childrenOf } from '#test/processes.ts';

/** Processor time of these processes and all below them so far, ms; 0 where the system does not tell (it is Linux that does). */
export function processorMs(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + ownMs(pid) + processorMs(childrenOf(pid)), 0);
}

// The kernel counts in hundredths of a second for programs.
const tickMs = 10;

function ownMs(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * tickMs;
  } catch {
    return 0;
  }
}
