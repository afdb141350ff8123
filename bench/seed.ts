import { createUsageSums } from '#billing';
import type { Database, Sql } from '#db';
import { microPerCredit } from '#kernel';
import { seedAccount, seedKey, seedProject } from '#test/accounts.ts';

/** How much there is of everything. */
export type Scale = {
  accounts: number;
  /** In all. The big account has as many as an account may have by default, or a tenth if that is less. */
  keys: number;
  projects: number;
  /** Ledger rows of the big account, and of all others together. */
  rows: number;
  otherRows: number;
  /** The time over which the rows are spread. */
  days: number;
};

export const fullScale: Scale = {
  accounts: 1_000,
  keys: 100_000,
  projects: 10_000,
  rows: 1_000_000,
  otherRows: 100_000,
  days: 90,
};

/** The account that has most of everything, a key of it, and values that many or few of its rows have. */
export type Seeded = {
  accountId: string;
  slug: string;
  key: string;
  busyProject: string;
  rareProject: string;
  busyKeyId: string;
  rareKeyId: string;
  rareModel: string;
};

const mostOfAnAccount = 1_000;
const rateMicro = 30_000;
const timeoutMs = 10 * 60_000;
const rareModel = 'experiment';
const bigSlug = 'big';

/**
 * Fills a migrated, empty database the way months of use would: every account's balance is the sum of its rows, every
 * charge is its formula, what was made stands in the feed, and all is summed up. Random, but the same each time.
 */
export async function seedDatabase(database: Database, scale: Scale): Promise<Seeded> {
  const { accountId, slug } = await seedAccount(database, { slug: bigSlug });
  await database.transaction(async (tx) => {
    await tx.query('set local synchronous_commit = off');
    await tx.query('set local enable_seqscan = on');
    await tx.query(`set local work_mem = '256MB'`);
    await tx.query('select setseed(0.42)');
    await insertAccounts(tx, scale);
    await insertProjects(tx, scale);
    await insertKeys(tx, scale);
    await insertFeed(tx);
    await insertGrants(tx, scale);
    await numberParts(tx);
    await insertLedger(tx, { owners: `slug = '${bigSlug}'`, count: scale.rows, days: scale.days });
    await insertLedger(tx, { owners: `slug <> '${bigSlug}'`, count: scale.otherRows, days: scale.days });
    await setBalances(tx);
  });
  await database.query('vacuum analyze', [], { timeoutMs });
  await createUsageSums({ database, lowMicro: microPerCredit }).catchUp();
  await database.query('vacuum analyze', [], { timeoutMs });
  const { key } = await seedKey(database, { accountId, name: 'of the benchmark' });
  return { accountId, slug, key, ...(await findExtremes(database, accountId)) };
}

/** The same account in a database where nothing else is. */
export async function seedNothing(database: Database): Promise<Seeded> {
  const { accountId, slug } = await seedAccount(database, { slug: bigSlug });
  const { key, keyId } = await seedKey(database, { accountId });
  const { slug: project } = await seedProject(database, { accountId, slug: 'project-1' });
  const path = `${slug}/${project}`;
  return {
    accountId,
    slug,
    key,
    busyProject: path,
    rareProject: path,
    busyKeyId: keyId,
    rareKeyId: keyId,
    rareModel,
  };
}

/** An id that sorts by `number`. */
const idOf = (prefix: string, number: string) => `'${prefix}_' || upper(lpad(to_hex(${number}), 26, '0'))`;
/** Before everything else happened. */
const longAgo = (days: string) => `now() - make_interval(days => ${days}::integer + 1)`;

async function insertAccounts(tx: Sql, { accounts, days }: Scale): Promise<void> {
  await tx.query(
    `insert into accounts (id, slug, display_name, created_at)
     select ${idOf('acc', 'n')}, 'account-' || n, 'Account ' || n, ${longAgo('$2')}
       from generate_series(1, $1::integer - 1) n`,
    [accounts, days],
    { timeoutMs },
  );
}

/** The big account has $2 of all $1, the others the rest in equal parts. */
const sharesText = `
  select id as account_id, slug, generate_series(1, case when slug = '${bigSlug}' then $2::bigint
           else greatest(1, ($1::bigint - $2::bigint) / greatest(1, count(*) over () - 1)) end) as n
    from accounts`;

const shareOf = (total: number) => Math.min(mostOfAnAccount, Math.ceil(total / 10));

async function insertProjects(tx: Sql, { projects, days }: Scale): Promise<void> {
  await tx.query(
    `insert into projects (id, account_id, slug, name, kind, search_text, created_at)
     select ${idOf('prj', 'row_number() over (order by account_id, n)')}, account_id, 'project-' || n, 'Project ' || n,
            'text', 'project-' || n || ' project ' || n, ${longAgo('$3')} + n * interval '1 second'
       from (${sharesText}) owner`,
    [projects, shareOf(projects), days],
    { timeoutMs },
  );
  await tx.query(
    `insert into hosted_models (id, project_id, alias, display_name, target_type, target_id, base_model_id, visibility,
                                state, rate_micro_per_minute, price_version, search_text, created_at)
     select 'hm' || substr(id, 4), id, 'chat', 'Chat', 'base_model', 'fanfold-tiny-chat', 'fanfold-tiny-chat', 'private',
            'active', ${rateMicro}, '2026-11-20', 'chat chat', created_at
       from projects`,
    [],
    { timeoutMs },
  );
  await tx.query(
    `insert into hosted_model_revisions (hosted_model_id, revision, target_type, target_id, base_model_id,
                                         rate_micro_per_minute, price_version, created_at)
     select id, 1, target_type, target_id, base_model_id, rate_micro_per_minute, price_version, created_at
       from hosted_models`,
    [],
    { timeoutMs },
  );
}

async function insertKeys(tx: Sql, { keys, days }: Scale): Promise<void> {
  await tx.query(
    `insert into api_keys (id, account_id, name, digest, masked_prefix, last_four, created_at, last_used_at)
     select ${idOf('key', 'row_number() over (order by account_id, n)')}, account_id, 'Key ' || n,
            sha256(convert_to(account_id || n, 'UTF8')), 'fnf_seed', lpad((n % 10000)::text, 4, '0'),
            ${longAgo('$3')} + n * interval '1 second', now()
       from (${sharesText}) owner`,
    // One is left for the key of the benchmark itself.
    [keys, shareOf(keys) - 1, days],
    { timeoutMs },
  );
}

async function insertFeed(tx: Sql): Promise<void> {
  await tx.query(
    `insert into activity (id, account_id, type, severity, actor_kind, actor_label, subject_kind, subject_id,
                           subject_label, message, created_at)
     select ${idOf('act', 'row_number() over (order by created_at, id)')}, account_id, kind || '.created', 'info',
            'account', 'seed', kind, id, name, 'The ' || kind || ' "' || name || '" was made.', created_at
       from (select id, account_id, name, created_at, 'key' as kind from api_keys
             union all select id, account_id, name, created_at, 'project' from projects) made`,
    [],
    { timeoutMs },
  );
}

async function insertGrants(tx: Sql, { days }: Scale): Promise<void> {
  await tx.query(
    `insert into ledger (id, account_id, type, micro, balance_after_micro, note, created_at)
     select ${idOf('led', 'row_number() over (order by id) * 10000000')}, id, 'grant', 100000000000, 100000000000,
            'Seeded', ${longAgo('$1')}
       from accounts`,
    [days],
    { timeoutMs },
  );
}

/** Keys and projects by their number within the account. */
async function numberParts(tx: Sql): Promise<void> {
  for (const [table, source] of [
    ['seed_keys', 'api_keys'],
    ['seed_projects', 'projects'],
  ]) {
    await tx.query(
      `create temporary table ${table} on commit drop as
       select account_id, row_number() over (partition by account_id order by id)::integer as n, id, name from ${source}`,
      [],
      { timeoutMs },
    );
    await tx.query(`create unique index on ${table} (account_id, n)`);
    await tx.query(`analyze ${table}`);
  }
}

/**
 * `count` calls, shared by these accounts. Keys are used unequally, and each mostly for one project: a few do most of
 * the work, and some do nearly none. Rows are written in the order of their times.
 */
async function insertLedger(
  tx: Sql,
  { owners, count, days }: { owners: string; count: number; days: number },
): Promise<void> {
  await tx.query(
    `with owner as (
       select * from (select id, slug, row_number() over (order by id) as number from accounts) account where ${owners}
     ), shared as (
       select owner.id as account_id, number, ($1::bigint / count(*) over ())::integer as calls,
              (select max(n) from seed_keys where account_id = owner.id) as keys,
              (select max(n) from seed_projects where account_id = owner.id) as projects
         from owner
     ), drawn as materialized (
       select account_id, number, calls, n, projects, 1 + floor(power(random(), 3) * keys)::integer as key,
              random() as dice, random() as jitter, 1 + random() * 400 as active_ms
         from shared cross join lateral generate_series(1, calls) n
     ), priced as (
       select *, 1 + (case when jitter < 0.9 then key else floor(jitter * 1000000)::integer end) % projects as project,
              greatest(1, ceil(active_ms / 100))::bigint as units,
              (greatest(1, ceil(active_ms / 100))::bigint * ${rateMicro} * 2 + 600) / 1200 as micro
         from drawn
     )
     insert into ledger (id, account_id, type, micro, balance_after_micro, project_id, model_requested, model_served,
       model_revision, request_id, key_id, key_name, active_ms, units, rate_micro_per_minute, price_version, held_micro,
       prompt_tokens, completion_tokens, outcome, created_at)
     select ${idOf('led', 'number * 10000000 + call.n')}, call.account_id, 'inference', -micro,
            100000000000 - sum(micro) over (partition by call.account_id order by call.n rows unbounded preceding),
            project.id, case when dice < 0.00005 then '${rareModel}' when dice < 0.1 then 'bot' else 'chat' end,
            'fanfold-tiny-chat', 1, ${idOf('req', 'number * 10000000 + call.n')}, key.id, key.name,
            active_ms, units, ${rateMicro}, '2026-11-20', micro + 1000, 10 + (dice * 500)::integer,
            1 + (jitter * 200)::integer, 'succeeded',
            now() - make_interval(secs => (calls - call.n + jitter) / calls * $2::integer * 86400)
       from priced call
       join seed_keys key on key.account_id = call.account_id and key.n = call.key
       join seed_projects project on project.account_id = call.account_id and project.n = call.project
      order by call.n, call.account_id`,
    [count, days],
    { timeoutMs },
  );
}

async function setBalances(tx: Sql): Promise<void> {
  await tx.query(
    `update accounts set balance_micro = booked.micro
       from (select account_id, sum(micro)::bigint as micro from ledger group by account_id) booked
      where accounts.id = booked.account_id`,
    [],
    { timeoutMs },
  );
}

async function findExtremes(sql: Sql, accountId: string) {
  const [row] = await sql.query<Record<'busyProject' | 'rareProject' | 'busyKeyId' | 'rareKeyId', string>>(
    `with used as (
       select dimension, value, sum(rows) as rows from usage_days
        where account_id = $1 and dimension in ('key', 'project') group by 1, 2
     ), called as (
       select rows, '${bigSlug}/' || slug as path from used join projects on id = value where dimension = 'project'
     )
     select (select value from used where dimension = 'key' order by rows desc limit 1) as "busyKeyId",
            (select value from used where dimension = 'key' order by rows limit 1) as "rareKeyId",
            (select path from called order by rows desc limit 1) as "busyProject",
            (select path from called order by rows limit 1) as "rareProject"`,
    [accountId],
  );
  if (!row) throw new Error('A select without a table gave no row. This is a bug.');
  return { ...row, rareModel };
}
