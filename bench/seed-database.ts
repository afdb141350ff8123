import { parseArgs } from 'node:util';
import { doctor } from '#billing';
import { migrate, openDatabase } from '#db';
import { fullScale, seedDatabase } from './seed.ts';

/**
 * `node bench/seed-database.ts DATABASE_URL [--rows 1000000 --keys 100000 ...]`: fills an empty database, proves its books,
 * and prints the key of the account that has most of everything.
 */
const option = (fallback: number) => ({ type: 'string', default: String(fallback) }) as const;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    accounts: option(fullScale.accounts),
    keys: option(fullScale.keys),
    projects: option(fullScale.projects),
    rows: option(fullScale.rows),
    'other-rows': option(fullScale.otherRows),
    days: option(fullScale.days),
  },
});
const [url = ''] = positionals;
const database = await openDatabase({ url, maxConnections: 4 });
try {
  await migrate(database);
  const began = performance.now();
  const { slug, key } = await seedDatabase(database, {
    accounts: Number(values.accounts),
    keys: Number(values.keys),
    projects: Number(values.projects),
    rows: Number(values.rows),
    otherRows: Number(values['other-rows']),
    days: Number(values.days),
  });
  console.log(`seeded in ${((performance.now() - began) / 1000).toFixed(0)} s`);
  const findings = await doctor(database);
  for (const { check, subject, message } of findings) console.log(`${check} ${subject}: ${message}`);
  console.log(findings.length === 0 ? 'the books are right' : `${findings.length} findings`);
  console.log(`account ${slug}, key ${key}`);
} finally {
  await database.close();
}
