--! compatible
-- An alias may be a name that agents ask for, such as `org/model:tag`.
alter table hosted_models
  drop constraint hosted_models_alias_check,
  add constraint hosted_models_alias_check
    check (char_length(alias) <= 63 and alias ~ '^[a-z0-9][a-z0-9._-]*([/:][a-z0-9][a-z0-9._-]*)*$');
