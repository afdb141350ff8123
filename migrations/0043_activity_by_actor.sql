--! compatible
-- What one key did, or one who was signed in, is read without the rows of all others. What the service did by itself has no actor.
create index activity_by_actor on activity (account_id, actor_id, created_at desc, id desc) where actor_id is not null;
