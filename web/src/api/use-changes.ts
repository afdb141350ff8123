import { type ChangeEvent, useState } from 'react';
import { useDraft } from './use-draft.ts';

type Texts = Record<string, string>;
type Some<Fields> = { [Name in keyof Fields]?: string };

/** One object, so that `useDraft` sees no change. */
const nothing = {};

/**
 * Fields of a stored resource that can be edited. Only the edited ones are kept as a draft; the others follow the
 * server.
 */
export function useChanges<Fields extends Texts>(name: string, saved: Fields) {
  const [written, setWritten] = useDraft<Some<Fields>>(name, nothing);
  const [errors, setErrors] = useState<Record<string, string | undefined>>({});
  const setFieldError = (field: string, text: string | undefined) => setErrors((now) => ({ ...now, [field]: text }));
  const keep = (pick: (now: Some<Fields>) => Some<Fields>) =>
    setWritten((now) => {
      const remaining = pick(now);
      return Object.keys(remaining).length === 0 ? nothing : remaining;
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
    /** Fields that were edited again while the request was in flight stay edited. */
    forget: (sent: Some<Fields>) => keep((now) => without(now, sent)),
  };
}

function without<Fields extends Texts>(changes: Some<Fields>, saved: Some<Fields>): Some<Fields> {
  const left = Object.entries(changes).filter(([field, value]) => value !== saved[field]);
  // as: it has fields of `Fields` only.
  return Object.fromEntries(left) as Some<Fields>;
}
