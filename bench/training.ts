import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { pythonProgram } from '#test/python.ts';
import type { Row } from './table.ts';

type Measured = { name: string; ratio: number; ours: number; plain: number; rounds: number };

/** Tokens per second of the trainer against a plain loop with transformers and peft, by turns in one process. */
export async function benchTraining({ threads }: { threads: number }): Promise<Row[]> {
  const program = path.join(import.meta.dirname, 'training.py');
  const { stdout } = await promisify(execFile)(await pythonProgram('python'), [program, String(threads)]);
  const measured = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Measured);
  return measured.map(({ name, ratio, ours, plain, rounds }) => ({
    name: `training tokens per second, ${name}`,
    ratio,
    goal: 1,
    sense: 'at least' as const,
    figures: `${ours.toFixed(0)} against ${plain.toFixed(0)} with transformers and peft, best of ${rounds} rounds`,
  }));
}
