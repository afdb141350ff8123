import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findBrowser } from '../scripts/browser.mjs';
import { startSignedIn } from './signed-in.ts';
import type { Row } from './table.ts';

/** Fetched when it is asked for: 180 MB that nobody else needs. */
const version = '13.5.0';
const presets = { desktop: ['--preset=desktop'], mobile: [] } as const;
const goal = 95;
/** Of so many runs the one in the middle counts. */
const runs = 3;

type Category = 'performance' | 'accessibility';
type Report = {
  categories: Record<Category, { score: number; auditRefs: { id: string; weight: number }[] }>;
  audits: Record<string, { score: number | null; title: string; displayValue?: string; numericValue?: number }>;
};

/** Dashboard and playground as Lighthouse sees them, of somebody who is signed in; mobile with its slow network and processor. */
export async function benchLighthouse(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'fanfold-lighthouse-'));
  const [cli, program] = await Promise.all([lighthouse(), startSignedIn()]);
  try {
    for (let n = 0; n < 12; n++)
      await program.post(`/api/projects/${program.project}/openai/v1/chat/completions`, {
        model: 'fanfold-tiny-chat',
        messages: [{ role: 'user', content: 'Hello!' }],
        max_tokens: 20,
      });
    const pages = { dashboard: '/', playground: `/projects/${program.project}/playground` };
    const rows: Row[] = [];
    for (const [page, path] of Object.entries(pages))
      for (const [preset, args] of Object.entries(presets)) {
        const reports: Report[] = [];
        for (let run = 0; run < runs; run++)
          reports.push(await audit({ cli, folder, url: program.url + path, cookie: program.cookie, args }));
        for (const category of ['performance', 'accessibility'] as const)
          rows.push(rowOf(reports, { name: `Lighthouse ${category}, ${page}, ${preset}`, category }));
      }
    return rows;
  } finally {
    await program.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Path of its command line, installed beside the builds. */
async function lighthouse(): Promise<string> {
  const place = join(import.meta.dirname, '..', '.cache', `lighthouse-${version}`);
  const cli = join(place, 'node_modules', 'lighthouse', 'cli', 'index.js');
  const isThere = await access(cli).then(
    () => true,
    () => false,
  );
  if (isThere) return cli;
  await mkdir(place, { recursive: true });
  await writeFile(join(place, 'package.json'), '{}');
  const options = ['--ignore-scripts', '--no-audit', '--no-fund'];
  await promisify(execFile)('npm', ['install', `lighthouse@${version}`, ...options], { cwd: place, timeout: 300_000 });
  return cli;
}

type Audit = { cli: string; folder: string; url: string; cookie: string; args: readonly string[] };

async function audit({ cli, folder, url, cookie, args }: Audit): Promise<Report> {
  const browser = await findBrowser();
  const file = join(folder, 'report.json');
  const chromeFlags = ['--headless', ...browser.args].join(' ');
  const options = [
    `--extra-headers=${JSON.stringify({ Cookie: cookie })}`,
    '--only-categories=performance,accessibility',
    `--chrome-flags=${chromeFlags}`,
    '--output=json',
    `--output-path=${file}`,
    '--quiet',
    ...args,
  ];
  await promisify(execFile)(process.execPath, [cli, url, ...options], {
    env: { ...process.env, ...browser.env, CHROME_PATH: browser.path },
    timeout: 120_000,
  });
  // as: the file is written by the version above.
  return JSON.parse(await readFile(file, 'utf8')) as Report;
}

function rowOf(reports: readonly Report[], { name, category }: { name: string; category: Category }): Row {
  const scoreOf = ({ categories }: Report) => Math.round(categories[category].score * 100);
  const sorted = reports.toSorted((one, other) => scoreOf(one) - scoreOf(other));
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (!middle) throw new Error('Nothing was measured.');
  return { name, ratio: scoreOf(middle), goal, sense: 'at least', figures: lossesOf(middle, category).join('; ') };
}

/** What cost points, the heaviest first. */
function lossesOf({ categories, audits }: Report, category: Category): string[] {
  return categories[category].auditRefs
    .flatMap(({ id, weight }) => {
      const found = audits[id];
      const lost = weight * (1 - (found?.score ?? 1));
      return found && lost > 0 ? [{ lost, text: `${found.title} ${found.displayValue ?? ''}`.trim() }] : [];
    })
    .toSorted((one, other) => other.lost - one.lost)
    .map(({ text }) => text);
}
