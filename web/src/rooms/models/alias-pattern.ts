export const aliasPattern = /^(?=.{1,63}$)[a-z0-9][a-z0-9._-]*([/:][a-z0-9][a-z0-9._-]*)*$/;
