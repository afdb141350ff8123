import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { type AgentServer, alias } from './agent-server.ts';
import { beginTask, findMissing, task } from './task.ts';

/** A program, and the arguments with which it does one task without asking. */
export type Client = { name: string; npmPackage: string; args: string[] };

export const clients: readonly Client[] = [
  {
    name: 'codex',
    npmPackage: '@openai/codex',
    args: ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', task.prompt],
  },
  {
    name: 'claude',
    npmPackage: '@anthropic-ai/claude-code',
    args: ['--print', task.prompt, '--permission-mode', 'acceptEdits', '--allowedTools', 'Bash(node:*)'],
  },
  { name: 'opencode', npmPackage: 'opencode-ai', args: ['run', task.prompt] },
  { name: 'cline', npmPackage: 'cline', args: [task.prompt] },
  { name: 'qwen', npmPackage: '@qwen-code/qwen-code', args: ['--yolo', task.prompt] },
];

const main = path.join(import.meta.dirname, '../../src/main.ts');
const longestMs = 180_000;

type Where = { server: AgentServer; commands: string; folder: string };

/** Lets `fanfold launch` start the program in a folder and a home of its own; what is missing of the task, or null. */
export async function runClient({ name, args }: Client, { server, commands, folder }: Where): Promise<string | null> {
  const [work, home] = [path.join(folder, name, 'work'), path.join(folder, name, 'home')];
  await beginTask(work);
  await mkdir(home, { recursive: true });
  const words = [main, 'launch', name, '--url', server.url, '--model', alias, '--yes', '--', ...args];
  const child = spawn(process.execPath, words, {
    cwd: work,
    env: {
      PATH: [commands, path.dirname(process.execPath), process.env['PATH']].join(path.delimiter),
      HOME: home,
      FANFOLD_API_KEY: server.key ?? '',
      // Claude Code asks before it edits for the superuser of a machine, but not in a container.
      IS_SANDBOX: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  // The program and all that it has started.
  const end = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), longestMs);
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  clearTimeout(end);
  const missing = code === 0 ? await findMissing(work) : `it ended with ${code ?? 'no code in time'}`;
  return missing === null ? null : `${missing}\n${output.slice(-3_000)}`;
}
