import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

const source = 'export const sum = (a, b) => a - b;\n';

/** What each program is to do: to read a file, to mend it, and to run its test. */
export const task = {
  prompt: 'The sum in sum.mjs is wrong. Read the file, mend it, and run: node check.mjs',
  file: 'sum.mjs',
  source,
  wrong: 'a - b',
  right: 'a + b',
  command: 'node check.mjs',
  /** Where the program works at present. */
  folder: '',
  path: (): string => path.join(task.folder, task.file),
};

/** The test notes that it ran, and what it met. */
const check = `import { writeFileSync } from 'node:fs';
import { sum } from './sum.mjs';
const isRight = sum(2, 3) === 5;
writeFileSync('checked.txt', isRight ? 'right' : 'wrong');
console.log(isRight ? 'The test passes.' : 'The test fails.');
`;

export async function beginTask(folder: string): Promise<void> {
  task.folder = folder;
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, task.file), source);
  await writeFile(path.join(folder, 'check.mjs'), check);
}

/** What is missing; null: the file is mended and its test ran. */
export async function findMissing(folder: string): Promise<string | null> {
  const mended = await readFile(path.join(folder, task.file), 'utf8');
  if (mended !== source.replace(task.wrong, task.right)) return `${task.file} is not mended: ${mended}`;
  const met = await readFile(path.join(folder, 'checked.txt'), 'utf8').catch(() => null);
  return met === 'right' ? null : `the test ${met === null ? 'did not run' : 'met the wrong sum'}`;
}
