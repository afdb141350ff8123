--! compatible
select;
