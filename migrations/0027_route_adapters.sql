--! compatible
-- Remote engines that also serve adapters: the folder through which they get them, as the servers and as the engine call it.
alter table serving_routes
  add column adapters_folder text check (adapters_folder ~ '^/'),
  add column adapters_seen_as text check (adapters_seen_as ~ '^/'),
  add constraint serving_routes_adapters_check check (adapters_seen_as is null or adapters_folder is not null);
