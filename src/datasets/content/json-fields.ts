import { isStorable } from '#kernel';
import type { IssueList } from './issues.ts';

export function pointerTo(parent: string, key: string | number): string {
  return `${parent}/${typeof key === 'number' ? key : key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

export function readText(value: unknown, pointer: string, list: IssueList): string | null {
  if (value === undefined || value === null) list.add('missing_field', pointer, 'The text is missing.');
  else if (typeof value !== 'string') list.add('wrong_type', pointer, 'Expected a text.');
  else if (value.trim() === '') list.add('empty_text', pointer, 'The text is empty.');
  else if (!isStorable(value))
    list.add('bad_encoding', pointer, 'The text holds a NUL character or half of a surrogate pair.', encodingHint);
  else return value;
  return null;
}

const encodingHint = 'Take it out: it stands for no character.';
