--! compatible
-- Counts the failures of an account in spans of time: the ids begin with the time. Callers who left are no failures.
create index failed_requests_by_account on failed_requests (account_id, id) where state <> 'canceled';
