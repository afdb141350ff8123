import { useRef } from 'react';
import { newIdempotencyKey } from './call.ts';

/**
 * Names for what a form creates: the same one while it sends the same thing, so that a second try after a bad connection
 * makes nothing twice.
 */
export function useIdempotencyKey(): (body: unknown) => string {
  const last = useRef({ text: '', key: '' });
  return (body) => {
    const text = JSON.stringify(body);
    if (last.current.text !== text) last.current = { text, key: newIdempotencyKey() };
    return last.current.key;
  };
}
