--! compatible
-- Versions are read in the order of contents instead.
drop index examples_by_content;
