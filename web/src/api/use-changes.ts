import { type ChangeEvent, useState } from 'react';
import { useDraft } from './use-draft.ts';

type Texts = Record<string, string>;
type Some<Fields> = { [Name in keyof Fields]?: string };

/** One object, as `useDraft` wants it: no draft is kept of it. */
const nothing = {};

/**
 * The fields of something that the server has, to be changed. Only what was changed is the writer's: it is kept as a draft.
 * Everything else is shown, and stays, as it is by now, whoever changed it.
 */
export function useChanges<Fields extends Texts>(name: string, saved: Fields) {
  const [written, setWritten] = useDraft<Some<Fields>>(name, nothing);
  const [errors, setErrors] = useState<Record<string, string | undefined>>({});
  const setFieldError = (field: string, text: string | undefined) => setErrors((now) => ({ ...now, [field]: text }));
  const keep = (pick: (now: Some<Fields>) => Some<Fields>) =>
    setWritten((now) => {
      const kept = pick(now);
      return Object.keys(kept).length === 0 ? nothing : kept;
    });
  const changes = without(written, saved);
  return {
    values: { ...saved, ...changes },
    changes,
    isChanged: Object.keys(changes).length > 0,
    setFieldError,
    inputOf: (field: keyof Fields & string) => ({
      value: changes[field] ?? saved[field],
      error: errors[field],
      onChange: ({ currentTarget: { value } }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => {
        setFieldError(field, undefined);
        keep((now) => without({ ...now, [field]: value }, saved));
      },
    }),
    /** What was sent is saved; what was written while it was on its way is not. */
    forget: (sent: Some<Fields>) => keep((now) => without(now, sent)),
  };
}

function without<Fields extends Texts>(changes: Some<Fields>, known: Some<Fields>): Some<Fields> {
  const left = Object.entries(changes).filter(([field, value]) => value !== known[field]);
  // as: what is left of the fields are fields.
  return Object.fromEntries(left) as Some<Fields>;
}
