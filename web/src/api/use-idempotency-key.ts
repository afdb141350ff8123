import { useRef } from 'react';
import { newIdempotencyKey } from './call.ts';

/** Gives the same key while a form sends the same body, so that a retry creates nothing twice. */
export function useIdempotencyKey(): (body: unknown) => string {
  const last = useRef({ text: '', key: '' });
  return (body) => {
    const text = JSON.stringify(body);
    if (last.current.text !== text) last.current = { text, key: newIdempotencyKey() };
    return last.current.key;
  };
}
