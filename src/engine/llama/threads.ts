import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/**
 * Threads for the engine on a machine that also runs the server and PostgreSQL: one physical core stays free. llama.cpp's
 * threads spin, and hyper-threads add nothing to them.
 */
export function defaultThreads(): number {
  return Math.max(1, Math.min(availableParallelism(), physicalCores()) - 1);
}

function physicalCores(): number {
  let text: string;
  try {
    text = readFileSync('/proc/cpuinfo', 'utf8');
  } catch {
    return Infinity;
  }
  return countCores(text) || Infinity;
}

/** Distinct (package, core) pairs of a Linux cpuinfo; 0 when it names none (ARM). */
export function countCores(cpuinfo: string): number {
  const cores = new Set<string>();
  let packageId = '';
  for (const line of cpuinfo.split('\n')) {
    const [name, value] = line.split(':');
    if (name?.trim() === 'physical id') packageId = value?.trim() ?? '';
    if (name?.trim() === 'core id') cores.add(`${packageId}/${value?.trim()}`);
  }
  return cores.size;
}
