import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { childrenOf } from '#test/processes.ts';
import type { Row } from './table.ts';

const root = path.join(import.meta.dirname, '..');
const ready = /(http:\/\/127\.0\.0\.1:\d+)\/\S*[\s\S]*?(fnf_[0-9A-Za-z]{49})/;
const settleMs = 8000;

/**
 * `npm start` in an installed checkout with an empty data folder, as a new user does it: the time until the tiny model
 * has answered, and the memory of all its processes when they are idle again.
 */
export async function benchStart(): Promise<Row[]> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'fanfold-start-'));
  const began = performance.now();
  const child = spawn('npm', ['start'], {
    cwd: root,
    env: { ...process.env, PORT: '0', FANFOLD_DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const { url, key } = await printed(child.stdout);
    await firstToken(url, key);
    const seconds = (performance.now() - began) / 1000;
    await sleep(settleMs);
    const megabytes = (await memoryOf(child.pid ?? 0)) / 1024 / 1024;
    return [
      {
        name: 'seconds from npm start to the first token, empty data folder',
        ratio: seconds,
        goal: 5,
        sense: 'at most',
        figures: 'PostgreSQL cluster made, migrated, model loaded',
      },
      {
        name: 'megabytes of all processes when idle',
        ratio: megabytes,
        goal: 400,
        sense: 'at most',
        figures: 'proportional set size: npm, server, PostgreSQL, one loaded model',
      },
    ];
  } finally {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
}

function printed(output: NodeJS.ReadableStream): Promise<{ url: string; key: string }> {
  return new Promise((resolve, reject) => {
    let text = '';
    output.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const match = ready.exec(text);
      if (match?.[1] && match[2]) resolve({ url: match[1], key: match[2] });
    });
    output.on('end', () => reject(new Error(`npm start ended before it printed a key:\n${text}`)));
  });
}

async function firstToken(url: string, key: string): Promise<void> {
  for (;;) {
    try {
      const response = await fetch(`${url}/api/projects/local/chat/openai/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: 'Hello!' }], stream: true }),
        signal: AbortSignal.timeout(60_000),
      });
      if (response.status !== 200) throw new Error(await response.text());
      await response.body?.getReader().read();
      return;
    } catch (error) {
      // Between the printed lines and the open port there may be a moment.
      if (!(error instanceof TypeError)) throw error;
      await sleep(20);
    }
  }
}

/** Bytes of a process and all its descendants; shared pages are counted once, by share. */
async function memoryOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  const own = Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1024;
  const children = await Promise.all(childrenOf(pid).map(memoryOf));
  return own + children.reduce((sum, bytes) => sum + bytes, 0);
}
