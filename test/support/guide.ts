import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';

const guides = path.join(import.meta.dirname, '../../docs/guides');

export type Followed = {
  code: number;
  lines: string[];
  errors: string;
  /** Of the answers that the guide shows, those that did not come; ids are other ones each time. */
  missing: string[];
  /** How many it shows. */
  shown: number;
};

/** Runs all commands of a guide in one shell, as a reader does who copies them, and then perhaps one that shows what came of it. */
export async function followGuide(
  name: string,
  {
    environment,
    timeoutMs,
    counting = '',
  }: { environment: Record<string, string>; timeoutMs: number; counting?: string },
): Promise<Followed> {
  const guide = await readFile(path.join(guides, name), 'utf8');
  const blocks = [...guide.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, commands]) => commands);
  // The commands write beside the samples.
  const folder = await mkdtemp(path.join(tmpdir(), 'fanfold-guide-'));
  try {
    await cp(path.join(guides, 'samples'), path.join(folder, 'docs/guides/samples'), { recursive: true });
    const env = { ...process.env, ...environment };
    const shell = spawn('bash', ['-euo', 'pipefail'], { cwd: folder, env, timeout: timeoutMs });
    shell.stdin.end([...blocks, counting].join('\n'));
    const [output, errors, [code]] = await Promise.all([text(shell.stdout), text(shell.stderr), once(shell, 'exit')]);
    const lines = output.split('\n');
    const shown = [...guide.matchAll(/^ {4}(\{.*)$/gm)].map(([, line = '']) => line);
    const plain = new Set(lines.map((line) => line.replace(/"dsv_[^"]*"/, '"dsv_..."')));
    const missing = shown.filter((line) => !plain.has(line));
    return { code: Number(code), lines, errors, missing, shown: shown.length };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
