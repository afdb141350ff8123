--! compatible
-- A list is a merge of stretches of live examples that are alike in dataset, split, origin and validity. The index has one number of
-- these four where it had themselves, which an import compared with each other for every row (docs/adr/0018-datasets.md).
create function example_stretch(dataset text, split text, origin text, valid boolean) returns bigint
  language sql immutable parallel safe
return hashtextextended(dataset collate "C",
  hashtextextended(origin collate "C", case when valid then 1 else 0 end + case when split = 'train' then 2 else 0 end));

-- Servers of the version before find their pages by the primary key, and read more for a rare filter.
drop index examples_live;
create index examples_live on examples (example_stretch(dataset_id, split, origin, valid), id)
  where removed_seq = 9223372036854775807;
