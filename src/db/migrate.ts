import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf, OperatorError } from '#kernel';
import type { Database, Sql } from './database.ts';
import { lockUntilCommit } from './locks.ts';
import { missingRights } from './missing-rights.ts';
import { sqlState } from './sqlstate.ts';

type Migration = { version: number; name: string; breaking: boolean; text: string; digest: string };

const fileNamePattern = /^(\d{4})_[a-z0-9_]+\.sql$/;
const firstLinePattern = /^--! (compatible|breaking)\n/;
const timeoutMs = 30 * 60_000;

/** The migrations of this release. */
export const migrationFolder = fileURLToPath(new URL('../../migrations', import.meta.url));

/**
 * Brings the database up to this release. Replicas that start together wait for one another; all pending files are
 * applied in one transaction. A database that a newer release has changed in a way this one cannot work with (a
 * `breaking` migration it does not know) is refused with an `OperatorError`, and so is one to which another text of a
 * migration was applied: nobody knows what its tables look like.
 */
export async function migrate(database: Database, folder: string = migrationFolder): Promise<void> {
  const known = await readMigrations(folder);
  const work = database.transaction(async (tx) => {
    await lockUntilCommit(tx, 'migrate');
    await tx.query(`create table if not exists schema_migrations (
      version integer primary key,
      name text not null,
      breaking boolean not null,
      digest text not null,
      applied_at timestamptz not null default now())`);
    const applied = await listApplied(tx);
    refuseNewer(applied, known);
    refuseChanged(applied, known);
    const done = new Set(applied.map(({ version }) => version));
    for (const migration of known) if (!done.has(migration.version)) await apply(tx, migration);
  });
  await work.catch(async (error: unknown) => {
    const state = sqlState(error);
    if (state === readOnly) throw new OperatorError(readOnlyMessage, { cause: error });
    if (state !== null && foreignStates.has(state) && !(await isOurs(database))) throw ofAnother(error);
    throw missingRights(error);
  });
}

const readOnly = '25006';
const readOnlyMessage = 'The database takes no changes: it is a standby, or read-only for this user.';

/** Tables, types, functions or schemas of the names that a migration makes are there, or a table of migrations is another's. */
const foreignStates = new Set(['42P07', '42710', '42723', '42P06', '42703']);

async function isOurs(database: Database): Promise<boolean> {
  const rows = await database.query<{ there: boolean }>(
    `select exists (select from information_schema.columns
       where table_schema = current_schema() and table_name = 'schema_migrations' and column_name = 'digest') as there`,
  );
  return rows.some(({ there }) => there);
}

function ofAnother(cause: unknown): OperatorError {
  const said = messageOf(cause);
  return new OperatorError(`The database holds something of another program (${said}). Give Fanfold one of its own.`, {
    cause,
  });
}

type AppliedRow = { version: number; name: string; breaking: boolean; digest: string };

function listApplied(tx: Sql): Promise<AppliedRow[]> {
  return tx.query<AppliedRow>('select version, name, breaking, digest from schema_migrations order by version');
}

function refuseNewer(applied: readonly AppliedRow[], known: readonly Migration[]): void {
  const newest = known.at(-1)?.version ?? 0;
  const stranger = applied.find(({ version, breaking }) => version > newest && breaking);
  if (stranger)
    throw new OperatorError(
      `The database belongs to a newer release of Fanfold (migration ${stranger.name}). Update this one.`,
    );
}

function refuseChanged(applied: readonly AppliedRow[], known: readonly Migration[]): void {
  const digests = new Map(applied.map(({ version, digest }) => [version, digest]));
  const changed = known.find(({ version, digest }) => (digests.get(version) ?? digest) !== digest);
  if (changed)
    throw new OperatorError(
      `The database was made with another text of migration ${changed.name}. Use the release that made it, or an empty database.`,
    );
}

async function apply(tx: Sql, { version, name, breaking, text, digest }: Migration): Promise<void> {
  await tx.query(text, undefined, { timeoutMs });
  await tx.query('insert into schema_migrations (version, name, breaking, digest) values ($1, $2, $3, $4)', [
    version,
    name,
    breaking,
    digest,
  ]);
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).sort();
  const migrations = await Promise.all(names.map((name) => readMigration(folder, name)));
  const twice = migrations.find(({ version }, index) => migrations[index - 1]?.version === version);
  if (twice) throw new Error(`migrations/${twice.name}: its number is taken.`);
  return migrations;
}

async function readMigration(folder: string, name: string): Promise<Migration> {
  const version = Number(fileNamePattern.exec(name)?.[1]);
  if (!(version > 0)) throw new Error(`migrations/${name}: names are 0001_what.sql, 0002_what.sql, ...`);
  const text = await readFile(join(folder, name), 'utf8');
  const kind = firstLinePattern.exec(text)?.[1];
  if (!kind) throw new Error(`migrations/${name}: the first line must be "--! compatible" or "--! breaking".`);
  const digest = createHash('sha256').update(text).digest('hex');
  return { version, name, breaking: kind === 'breaking', text, digest };
}
