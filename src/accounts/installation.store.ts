import { randomBytes } from 'node:crypto';
import type { Sql } from '#db';

const secretBytes = 32;

/**
 * A secret of this installation, the same on every replica and after every restart: the first process that asks makes
 * it, whoever loses the race reads it.
 */
export async function installationSecret(sql: Sql, name: string): Promise<Buffer> {
  await sql.query('insert into settings (name, value) values ($1, $2) on conflict (name) do nothing', [
    name,
    randomBytes(secretBytes),
  ]);
  const [row] = await sql.query<{ value: Buffer }>('select value from settings where name = $1', [name]);
  if (!row) throw new Error(`The setting ${name} is gone. This is a bug.`);
  return row.value;
}
