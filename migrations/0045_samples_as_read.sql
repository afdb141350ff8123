--! compatible
-- Rows as they were read: jsonb sorts the keys of objects.
alter table imports alter column sample type json using sample::text::json;
