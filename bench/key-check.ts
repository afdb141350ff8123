import { createAdmission } from '#inference';
import { systemClock } from '#kernel';
import { createKeyUsage } from '#keys';
import { seedAccount, seedKey, seedProject } from '#test/accounts.ts';
import { startBenchDatabase } from './database.ts';
import { median } from './load.ts';
import type { Row } from './table.ts';

const askers = 64;
const perRound = 20_000;
const rounds = 9;
/** Those that are asked with. */
const realKeys = 500;

/** Admissions per second among 1,000,000 keys against 1,000 keys, in two databases, in alternating rounds. */
export async function benchKeyCheck(): Promise<Row[]> {
  const few = await prepare(1_000);
  const many = await prepare(1_000_000);
  const rates = { few: [] as number[], many: [] as number[] };
  try {
    for (let round = 0; round < rounds; round++) {
      rates.few.push(await measure(few));
      rates.many.push(await measure(many));
    }
  } finally {
    await few.drop();
    await many.drop();
  }
  return [
    {
      name: 'key checks per second, 1,000,000 keys / 1,000 keys',
      ratio: median(rates.many) / median(rates.few),
      goal: 0.9,
      sense: 'at least',
      figures: `${median(rates.many).toFixed(0)} against ${median(rates.few).toFixed(0)} per second, ${askers} at a time`,
    },
  ];
}

type Prepared = Awaited<ReturnType<typeof prepare>>;

async function prepare(keys: number) {
  const { database, drop } = await startBenchDatabase();
  const { accountId, slug } = await seedAccount(database);
  const { slug: project } = await seedProject(database, { accountId });
  // First: an account may not be given so many by the program.
  const real = await Promise.all(Array.from({ length: realKeys }, () => seedKey(database, { accountId })));
  await database.query(
    `insert into api_keys (id, account_id, name, digest, masked_prefix, last_four)
     select 'key_' || n, $1, 'filler', sha256(convert_to(n::text, 'utf8')), 'fnf_xxxx', 'xxxx' from generate_series(1, $2::int) n`,
    [accountId, keys - realKeys],
    { timeoutMs: 120_000 },
  );
  await database.query('vacuum analyze api_keys', [], { timeoutMs: 120_000 });
  const admit = createAdmission({
    sql: database,
    keyUsage: createKeyUsage({ sql: database, clock: systemClock }),
  });
  const question = { ownerSlug: slug, projectSlug: project, model: 'chat' };
  return {
    drop,
    ask: (n: number) => admit({ authorization: `Bearer ${real[n % real.length]?.key}` }, question),
  };
}

async function measure({ ask }: Prepared): Promise<number> {
  const began = performance.now();
  let next = 0;
  const asker = async () => {
    while (next < perRound) await ask(next++);
  };
  await Promise.all(Array.from({ length: askers }, asker));
  return perRound / ((performance.now() - began) / 1000);
}
