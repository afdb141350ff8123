import type { Sql, Transaction } from '#db';
import type { CopiedPlaces } from './pack-format.ts';

/*
 * Examples in packs (docs/adr/0046-packs.md), as parts of statements that find them beside those that have rows. What is
 * taken out of its pack has a row, and is found there.
 */

/** SQL: the addition of the dataset `$1` whose examples are in packs; one row at most. */
export const packedAddition = `(
  select seq, first_id, examples, origin_id from example_additions where dataset_id = $1 and packs is not null)`;

/** SQL: of a pack `p` and a `slot` of it, what is said of the example. */
export const slotSplit = `case when get_byte(p.kinds, slot - 1) & 1 = 0 then 'train' else 'test' end`;
export const slotValid = 'get_byte(p.kinds, slot - 1) & 2 = 0';
export const slotHash = 'substr(p.hashes, slot * 32 - 31, 32)';
export const slotId = `example_id_at(a.first_id, pack_number(p.places, slot)) collate "C"`;
export const slotTokens = 'nullif(pack_number(p.tokens, slot), -1)';
export const slotBytes = 'pack_bytes(p.ends, slot)';
export const slotContent = 'pack_content(p.contents, p.ends, slot)';
const slotIssues = `coalesce(p.issues -> slot::text, '[]'::jsonb)`;

/** SQL: the same columns as lists have; `a` is the addition. */
export const slotColumns = `${slotId} as id, $1 as "datasetId", ${slotContent} as json, ${slotSplit} as split,
  'import' as origin, a.origin_id as "originId", ${slotTokens} as tokens, ${slotValid} as valid, ${slotIssues} as issues,
  ${slotHash} as hash, null::timestamptz as "updatedAt"`;

/** SQL: the pack of a `member`, which has its number and a slot. */
export const packOfMember = `
  cross join lateral (select * from example_packs where dataset_id = $1 and number = member.pack offset 0) p`;

/** SQL: the member that stands at the id, unless it was taken out. */
export const memberAt = (id: string) => `
  cross join lateral (
    select s.packs[at % 512 + 1] as pack, get_byte(s.slots, at % 512) as slot, at as place
      from (select example_place(a.first_id, a.examples, ${id}) as at) stands
     cross join lateral (select * from example_places where dataset_id = $1 and first_place = at / 512 * 512 offset 0) s
     where get_byte(s.kinds, at % 512) < 4 and example_id_at(a.first_id, at) = ${id}
  ) member`;

/** SQL: the pack `p` of the dataset `$1` that would have a content, and the slot of it; null for the slot where it has not. */
const withHash = (hash: string) => `(
    select * from example_packs where dataset_id = $1 and first_hash <= ${hash} order by first_hash desc limit 1
  ) p cross join lateral (select pack_slot(p.hashes, ${hash}) as slot) slots`;

/** SQL: an example in a pack has this content. */
export const isPacked = (hash: string) => `(select true from ${withHash(hash)} where get_byte(p.kinds, slot - 1) < 4)`;

/** SQL: the content in a pack that has this hash. */
export const packedContent = (hash: string) => `(select ${slotContent} from ${withHash(hash)})`;

/** Whether packs can be written: every server that runs finds what is in them. */
export async function packsAreKnown(sql: Sql): Promise<boolean> {
  const [row] = await sql.query<{ known: boolean }>('select every_server_knows(44) as known');
  return row?.known ?? false;
}

/** Packs as `PackCopy` makes them. */
export function copyPacks(tx: Transaction, data: readonly Buffer[]): Promise<void> {
  return tx.copy(
    `copy example_packs (dataset_id, number, first_hash, hashes, places, kinds, tokens, ends, contents, issues)
       from stdin (format binary)`,
    data,
  );
}

/** Which packs the examples are in, in the order of their ids. */
export async function insertPlaces(tx: Sql, datasetId: string, stretches: readonly CopiedPlaces[]): Promise<void> {
  await tx.query(
    `insert into example_places (dataset_id, first_place, packs, slots, kinds, present)
     select $1, first_place, string_to_array(packs, ',')::integer[], decode(slots, 'hex'), decode(kinds, 'hex'), present
       from unnest($2::integer[], $3::text[], $4::text[], $5::text[], $6::smallint[])
         as stretch (first_place, packs, slots, kinds, present)`,
    [
      datasetId,
      stretches.map(({ firstPlace }) => firstPlace),
      stretches.map(({ packs }) => packs.join(',')),
      stretches.map(({ slots }) => Buffer.from(slots).toString('hex')),
      stretches.map(({ kinds }) => Buffer.from(kinds).toString('hex')),
      stretches.map(({ present }) => present),
    ],
  );
}
