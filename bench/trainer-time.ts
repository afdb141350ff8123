import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { commandOf } from '#test/processes.ts';

/** Of the clock of `performance.now()`, ms. */
export type TrainerTime = { startedMs: number; endedMs: number };

const ticksPerSecond = 100;
const lookMs = 40;
const closeLookMs = 4;

/**
 * When the trainer of a job began and ended, as the kernel tells it: from the start of its process, so that imports are its
 * own time. Linux.
 */
export async function timeTrainer(jobId: string, signal: AbortSignal): Promise<TrainerTime> {
  for (;;) {
    const pid = pids().find((each) => isTrainerOf(jobId, commandOf(each)));
    const startedMs = pid === undefined ? null : startOf(pid);
    if (pid !== undefined && startedMs !== null) {
      while (startOf(pid) !== null) await sleep(closeLookMs, undefined, { signal });
      return { startedMs, endedMs: performance.now() };
    }
    await sleep(lookMs, undefined, { signal });
  }
}

function pids(): number[] {
  return readdirSync('/proc').map(Number).filter(Boolean);
}

/** The shell that leads its process group names it as well. */
function isTrainerOf(jobId: string, command: string): boolean {
  return command.includes('fanfold_trainer.lora.train') && command.includes(jobId) && !command.includes('start.sh');
}

/** null: it is gone. */
function startOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const ticks = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
    const [uptime] = readFileSync('/proc/uptime', 'utf8').split(' ');
    return performance.now() - (Number(uptime) - ticks / ticksPerSecond) * 1000;
  } catch {
    return null;
  }
}
