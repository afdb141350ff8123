--! compatible
-- Finds the examples that have the same content. It holds eight bytes of an example where the index before held its dataset, its whole
-- hash, split and id: half of what an import cost the database were places of that one, far apart (docs/adr/0018-datasets.md).
-- The dataset is part of it, so that the work does not grow with other people's copies.
create function example_key(dataset text, content_hash bytea) returns bigint
  language sql immutable parallel safe
return hashtextextended(dataset collate "C", get_byte(content_hash, 0)::bigint << 24
  | get_byte(content_hash, 1) << 16 | get_byte(content_hash, 2) << 8 | get_byte(content_hash, 3));
create index examples_by_key on examples using hash (example_key(dataset_id, content_hash));
