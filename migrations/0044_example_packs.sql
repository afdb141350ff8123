--! breaking
-- A large first import writes its examples in packs, each as many as fit into a page, in the order of a version: with a row, a content and
-- the entries of five indexes for each example, it cost the database four times as much (docs/adr/0046-packs.md). Servers of the version before
-- do not find what is packed, so none may start any more, and as long as one runs nothing is packed (`every_server_knows`).
create table example_packs (
  dataset_id text collate "C" not null,
  -- From nought on, in the order of hashes.
  number integer not null,
  first_hash bytea not null,
  -- Of each example 32 bytes, ascending.
  hashes bytea not null,
  -- Numbers of four bytes (`pack_number`). Which one each is of those that came together: the end of its id.
  places bytea not null,
  -- A byte for each: 1, it is of the test split; 2, it is not valid; 4, it was taken out: it has a row among `examples`.
  kinds bytea not null,
  -- Numbers; -1: not known.
  tokens bytea not null,
  -- Numbers: where each content ends.
  ends bytea not null,
  -- Canonical JSON as UTF-8, one behind the other.
  contents bytea not null,
  -- By the place in the pack (slot), which begins with 1.
  issues jsonb,
  primary key (dataset_id, number),
  check (octet_length(hashes) = 32 * octet_length(kinds) and octet_length(places) = 4 * octet_length(kinds)
    and octet_length(tokens) = 4 * octet_length(kinds) and octet_length(ends) = 4 * octet_length(kinds))
);
-- A pack stays in one page, unless one content alone is larger.
alter table example_packs set (toast_tuple_target = 8160);
-- Of contents that are larger only what is asked for is read, and packing them would take most of the time.
alter table example_packs alter column contents set storage external;
create unique index example_packs_by_hash on example_packs (dataset_id, first_hash);

-- The same examples in the order of their ids, 512 to a row.
create table example_places (
  dataset_id text collate "C" not null,
  first_place integer not null check (first_place % 512 = 0),
  -- The pack of each, and the slot in it.
  packs integer[] not null,
  slots bytea not null,
  -- As in the packs.
  kinds bytea not null,
  -- The bit `1 << kind` of each kind that there was at first.
  present smallint not null,
  primary key (dataset_id, first_place),
  check (octet_length(kinds) = cardinality(packs) and octet_length(slots) = cardinality(packs))
);

alter table example_places set (toast_tuple_target = 8160);

create trigger example_packs_are_never_deleted before delete on example_packs
  for each row execute function frozen_is_immutable();
create trigger example_places_are_never_deleted before delete on example_places
  for each row execute function frozen_is_immutable();
-- An example may be taken out, and only kinds say so.
create trigger example_packs_are_immutable before update on example_packs
  for each row when (
    (old.dataset_id, old.number, old.first_hash, old.hashes, old.places, old.tokens, old.ends, old.contents, old.issues)
      is distinct from
    (new.dataset_id, new.number, new.first_hash, new.hashes, new.places, new.tokens, new.ends, new.contents, new.issues)
  ) execute function frozen_is_immutable();
create trigger example_places_are_immutable before update on example_places
  for each row when (
    (old.dataset_id, old.first_place, old.packs, old.slots, old.present)
      is distinct from (new.dataset_id, new.first_place, new.packs, new.slots, new.present)
  ) execute function frozen_is_immutable();

-- Null: its examples are rows.
alter table example_additions add column packs integer check (packs > 0);
-- The import that packed examples come from.
alter table example_additions add column origin_id text check ((origin_id is null) = (packs is null));
create unique index example_additions_packed on example_additions (dataset_id) where packs is not null;

-- The id at a place, and the place of an id: the last seven characters count (src/datasets/examples/example-ids.ts).
create function example_id_at(first_id text, place integer) returns text
  language sql immutable parallel safe strict
return left(first_id, -7)
  || substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', (place >> 30) + 1, 1)
  || substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', ((place >> 25) & 31) + 1, 1)
  || substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', ((place >> 20) & 31) + 1, 1)
  || substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', ((place >> 15) & 31) + 1, 1)
  || substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', ((place >> 10) & 31) + 1, 1)
  || substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', ((place >> 5) & 31) + 1, 1)
  || substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', (place & 31) + 1, 1);

-- Null: no example of these has this id.
create function example_place(first_id text, examples integer, id text) returns integer
  language sql immutable parallel safe strict
return case when id collate "C" >= first_id and id collate "C" <= example_id_at(first_id, examples - 1)
  and length(id) = length(first_id) then (
    select sum((strpos('0123456789ABCDEFGHJKMNPQRSTVWXYZ', substr(right(id, 7), digit, 1)) - 1)::bigint << (35 - 5 * digit))::integer
      from generate_series(1, 7) digit) end;

-- How many of them are before an id.
create function example_places_before(first_id text, examples integer, id text) returns integer
  language sql immutable parallel safe strict
return case when id collate "C" <= first_id then 0
            when id collate "C" > example_id_at(first_id, examples - 1) then examples
            else example_place(first_id, examples, id) end;

-- The slot of the example with this hash; null: there is none.
create function pack_slot(hashes bytea, hash bytea) returns integer
  language sql immutable parallel safe strict
return (select slot from generate_series(1, octet_length(hashes) / 32) slot where substr(hashes, slot * 32 - 31, 32) = hash);

create function pack_number(numbers bytea, slot integer) returns integer
  language sql immutable parallel safe strict
return (get_byte(numbers, slot * 4 - 4) << 24) | (get_byte(numbers, slot * 4 - 3) << 16)
  | (get_byte(numbers, slot * 4 - 2) << 8) | get_byte(numbers, slot * 4 - 1);

-- Where the content of a slot begins, and how many bytes it has.
create function pack_start(ends bytea, slot integer) returns integer
  language sql immutable parallel safe strict
return case when slot = 1 then 0 else pack_number(ends, slot - 1) end;

create function pack_bytes(ends bytea, slot integer) returns integer
  language sql immutable parallel safe strict
return pack_number(ends, slot) - pack_start(ends, slot);

create function pack_content(contents bytea, ends bytea, slot integer) returns text
  language sql immutable parallel safe strict
return convert_from(substr(contents, pack_start(ends, slot) + 1, pack_bytes(ends, slot)), 'UTF8');

-- Examples of these kinds (bits as in `present`) before a place, the last first.
create function packed_before(dataset text, before integer, wanted integer, most integer)
  returns table (pack integer, slot integer) language plpgsql stable rows 50 as $$
declare
  stretch record;
  given integer;
  missing integer := most;
begin
  for stretch in
    select s.first_place, s.packs, s.slots, s.kinds from example_places s
     where s.dataset_id = dataset and s.first_place < before and s.present & wanted <> 0
     order by s.first_place desc
  loop
    return query
      select member.pack, get_byte(stretch.slots, member.nth::integer - 1)
        from unnest(stretch.packs) with ordinality as member (pack, nth)
       where stretch.first_place + member.nth::integer - 1 < before
         and (1 << get_byte(stretch.kinds, member.nth::integer - 1)) & wanted <> 0
       order by member.nth desc limit missing;
    get diagnostics given = row_count;
    missing := missing - given;
    exit when missing <= 0;
  end loop;
end $$;

-- Examples of these kinds from a hash on, in order: as many as come to `most`, or to so many bytes, and the rest of the last pack. The one
-- that has the hash itself counts for nothing.
create function packed_from(dataset text, from_hash bytea, wanted integer, most integer, most_bytes bigint)
  returns table (pack integer, slot integer) language plpgsql stable rows 1000 as $$
declare
  held record;
  hash bytea;
  found_bytes bigint := 0;
  found integer := 0;
  begins integer := coalesce((
    select p.number from example_packs p where p.dataset_id = dataset and p.first_hash <= from_hash
     order by p.first_hash desc limit 1), 0);
begin
  for held in
    select p.number, p.hashes, p.kinds, p.ends from example_packs p
     where p.dataset_id = dataset and p.number >= begins order by p.number
  loop
    pack := held.number;
    for at in 1 .. octet_length(held.kinds) loop
      continue when (1 << get_byte(held.kinds, at - 1)) & wanted = 0;
      slot := at;
      if pack = begins then
        hash := substr(held.hashes, at * 32 - 31, 32);
        continue when hash < from_hash;
        if hash = from_hash then
          return next;
          continue;
        end if;
      end if;
      return next;
      found := found + 1;
      found_bytes := found_bytes + pack_bytes(held.ends, at);
    end loop;
    exit when found >= most or found_bytes >= most_bytes;
  end loop;
end $$;

-- The newest migration that a running server knows; those of the version before say nothing of it.
alter table instances add column knows integer not null default 43;
create function every_server_knows(migration integer) returns boolean language sql stable
return not exists (select from instances where knows < migration);
