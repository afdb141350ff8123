--! compatible
-- As sum, but of bigint throughout: the built-in one goes by way of numeric, which takes most of the time of a summary.
-- Null is as 0, and what does not fit is an error.
create aggregate usage_sum(bigint) (sfunc = int8pl, stype = bigint, initcond = '0', parallel = safe);
