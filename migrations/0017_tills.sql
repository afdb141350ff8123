--! compatible
-- Tills are holds of an instance for an account (src/billing/tills.ts); few rows, found by account.
create index holds_tills on holds (account_id) where request_id like 'till\_%';
