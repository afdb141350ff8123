import { createReadStream, createWriteStream, readFileSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createImportWorld, type ImportWorld } from '../test/import/import-world.ts';
import { childrenOf, commandOf } from '../test/support/processes.ts';
import { startBenchDatabase } from './database.ts';
import type { Row } from './table.ts';

/** Profile and import of JSON lines of 1 KB each. */
export async function benchImports({ rows }: { rows: number }): Promise<Row[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'fanfold-bench-imports-'));
  const file = path.join(folder, 'rows.jsonl');
  await writeRows(file, rows);
  const world = await createImportWorld({ db: await startBenchDatabase(), watched: false });
  try {
    const { profileMs, importMs, peakMb, profileCpu, importCpu } = await importFile(world, file);
    const seconds = (ms: number) => (ms / 1000).toFixed(1);
    return [
      {
        name: 'profile and import of a million rows, s',
        ratio: ((profileMs + importMs) / 1000) * (1_000_000 / rows),
        goal: 40,
        sense: 'at most',
        figures: `${rows} rows, profile ${seconds(profileMs)} s (${profileCpu}), import ${seconds(importMs)} s (${importCpu})`,
      },
      {
        name: 'peak memory of the worker, MB',
        ratio: peakMb.worker,
        goal: 400,
        sense: 'at most',
        figures: `${rows} rows; the tokeniser takes another ${peakMb.tokeniser.toFixed(0)} MB`,
      },
    ];
  } finally {
    await world.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

const syllables = [
  'ka',
  'lo',
  'mi',
  'ter',
  'an',
  'res',
  'po',
  'du',
  'vi',
  'ing',
  'est',
  'or',
  'ba',
  'shi',
  'nu',
  'pre',
  'con',
  'al',
];

async function writeRows(file: string, rows: number): Promise<void> {
  let seed = 12_345;
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
    return seed / 0x7fffffff;
  };
  const word = () =>
    Array.from({ length: 1 + Math.floor(random() * 4) }, () => syllables[Math.floor(random() * syllables.length)]).join(
      '',
    );
  const words = Array.from({ length: 20_000 }, word);
  // Few words are common, many are rare.
  const text = (count: number) =>
    Array.from({ length: count }, () => words[Math.floor(words.length * random() ** 3)]).join(' ');
  async function* lines(): AsyncGenerator<string> {
    for (let n = 0; n < rows; n++) {
      const messages = [
        { role: 'user', content: `${text(55)} ${n}?` },
        { role: 'assistant', content: `${text(85)}.` },
      ];
      yield `${JSON.stringify({ messages })}\n`;
    }
  }
  await pipeline(lines(), createWriteStream(file));
}

async function importFile(world: ImportWorld, file: string) {
  const { text, key } = world;
  const { size } = await stat(file);
  const { id } = await text.create({ name: 'rows.jsonl', size });
  await fetch(`${text.base}/imports/${id}/content`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-length': String(size) },
    body: createReadStream(file),
    duplex: 'half',
  });
  const watch = watchMemory();
  const before = await processorTimes(world);
  const profileMs = await timed(() => untilOver(() => text.read(id), 'ready'));
  const between = await processorTimes(world);
  const { preview_token } = await text.preview(id);
  await text.demand('POST', `imports/${id}/confirm`, { preview_token });
  const importMs = await timed(() => untilOver(() => text.read(id), 'completed'));
  const after = await processorTimes(world);
  const [profileCpu, importCpu] = [told(before, between), told(between, after)];
  return { profileMs, importMs, profileCpu, importCpu, peakMb: watch.stop() };
}

type Processors = { worker: number; counter: number; database: number };

/** What the processes at work have taken of a processor so far, s: of these the longest bounds a quiet machine. */
async function processorTimes({ db }: ImportWorld): Promise<Processors> {
  const workers = childrenOf(process.pid).filter((pid) => commandOf(pid).includes('imports/worker/child.ts'));
  // All that PostgreSQL runs: those who write its log and its pages work for the import, too.
  const backends = await db.database.query<{ pid: number }>('select pid from pg_stat_activity');
  const sum = (pids: readonly number[]) => pids.reduce((total, pid) => total + secondsOf(pid), 0);
  return {
    worker: sum(workers),
    counter: sum(workers.flatMap(childrenOf)),
    database: sum(backends.map(({ pid }) => pid)),
  };
}

const ticksPerSecond = 100;

function secondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

function told(from: Processors, to: Processors): string {
  const seconds = (name: keyof Processors) => `${name} ${(to[name] - from[name]).toFixed(1)} s`;
  return `of processors: ${seconds('worker')}, ${seconds('counter')}, ${seconds('database')}`;
}

async function untilOver(read: () => Promise<{ state: string; error: unknown }>, state: string): Promise<void> {
  for (;;) {
    const now = await read();
    if (now.state === state) return;
    if (now.error !== null) throw new Error(JSON.stringify(now.error));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The most that any worker takes, with all of its threads, and any process that it has started, MB. */
function watchMemory(): { stop: () => { worker: number; tokeniser: number } } {
  const peak = { worker: 0, tokeniser: 0 };
  const look = () => {
    const workers = childrenOf(process.pid).filter((pid) => commandOf(pid).includes('imports/worker/child.ts'));
    peak.worker = Math.max(peak.worker, ...workers.map(peakMbOf));
    peak.tokeniser = Math.max(peak.tokeniser, ...workers.flatMap(childrenOf).map(peakMbOf));
  };
  const timer = setInterval(look, 500);
  return {
    stop: () => {
      look();
      clearInterval(timer);
      return peak;
    },
  };
}

/** 0: it has ended. */
function peakMbOf(pid: number): number {
  try {
    const [, kb = '0'] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kb) / 1024;
  } catch {
    return 0;
  }
}
