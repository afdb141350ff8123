import { benchHotPath } from './hot-path.ts';
import { printTable, type Row } from './table.ts';

/** `npm run bench [-- name ...]`: prints one table of ratios, each measured in one run on this machine. */
const benches: Record<string, () => Promise<Row[]>> = {
  'hot-path': benchHotPath,
};

const wanted = process.argv.slice(2);
const rows: Row[] = [];
for (const [name, bench] of Object.entries(benches)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.error(`measuring ${name} ...`);
  rows.push(...(await bench()));
}
process.exitCode = printTable(rows) ? 0 : 1;
