--! compatible
-- Remote engines that serve base models, as the operator set them up. Every server looks here from time to time.
create table serving_routes (
  id text collate "C" primary key check (id ~ '^[a-z0-9][a-z0-9._-]{0,62}$'),
  base_model_id text collate "C" not null,
  -- The name of an engine dialect.
  api text not null check (api ~ '^[a-z][a-z0-9-]*$'),
  url text not null check (url ~ '^https?://'),
  upstream_model text not null,
  -- Where each server finds the secret: env:NAME or file:/path. The secret itself is nowhere in the database.
  secret_source text check (secret_source ~ '^(env:[A-Za-z_][A-Za-z0-9_]*|file:/.+)$'),
  capacity integer not null check (capacity between 1 and 10000),
  weight real not null check (weight > 0),
  draining boolean not null default false,
  created_at timestamptz not null default now()
);
