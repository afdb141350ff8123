import { useEffect, useState } from 'react';

const pauseMs = 200;

/** A text after a pause in typing. */
export function usePause(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    if (text === settled) return;
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text, settled]);
  return settled;
}
