import { useEffect, useEffectEvent } from 'react';
import { areShortcutsOn, isTyping } from '../../ui/shortcut-keys.ts';

type InboxKeys = {
  next: () => void;
  previous: () => void;
  mark: (rank: number) => void;
  promote: () => void;
  skip: () => void;
  undo: () => void;
  choose: () => void;
};

/** Shortcuts of the inbox. They are off where all shortcuts are. */
export function useInboxKeys(keys: InboxKeys): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    // Global shortcuts come first.
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (!areShortcutsOn() || isTyping(event.target)) return;
    const action = actionOf(event.key.toLowerCase(), keys);
    if (!action) return;
    event.preventDefault();
    action();
  });
  useEffect(() => {
    // On the window, so that it runs after listeners on the document.
    const listener = (event: KeyboardEvent) => onKey(event);
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  }, []);
}

function actionOf(key: string, keys: InboxKeys): (() => void) | null {
  if (/^[1-9]$/.test(key)) return () => keys.mark(Number(key));
  switch (key) {
    case 'j':
      return keys.next;
    case 'k':
      return keys.previous;
    case 'p':
      return keys.promote;
    case 's':
      return keys.skip;
    case 'u':
      return keys.undo;
    case 'x':
      return keys.choose;
    default:
      return null;
  }
}
