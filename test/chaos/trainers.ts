import { readdirSync } from 'node:fs';
import { commandOf } from '#test/processes.ts';

/** Trainers that run below a data folder: the interpreters themselves, not the shells that lead their groups. */
export function trainersOf(dataDir: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 1 && isTrainer(commandOf(pid), dataDir));
}

function isTrainer(command: string, dataDir: string): boolean {
  return command.includes('fanfold_trainer.lora.train') && command.includes(dataDir) && !command.includes('start.sh');
}

export function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It was quicker.
  }
}
