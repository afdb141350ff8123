import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useLayoutEffect, useState } from 'react';
import { focusSearch } from '../../ui/focus-search.ts';
import { areShortcutsOn, isTyping, keepShortcuts, openEvent, openShortcuts } from '../../ui/shortcut-keys.ts';
import { useNavigation } from '../use-navigation.ts';

const secondKeyMs = 1_500;

export const loadShortcutHelp = () => import('./shortcut-help.tsx');

const ShortcutHelp = lazy(async () => ({ default: (await loadShortcutHelp()).ShortcutHelp }));

/** Keyboard shortcuts, and their help, which is loaded when it is first opened. */
export function Shortcuts() {
  const [isRequested, setRequested] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const [isOn, setOn] = useState(areShortcutsOn);
  useShortcuts(isOn && !isOpen, openShortcuts);
  useLayoutEffect(() => {
    const open = () => {
      setRequested(true);
      setOpen(true);
    };
    window.addEventListener(openEvent, open);
    return () => window.removeEventListener(openEvent, open);
  }, []);
  const turn = (next: boolean) => {
    keepShortcuts(next);
    setOn(next);
  };
  if (!isRequested) return null;
  return (
    <Suspense>
      <ShortcutHelp isOpen={isOpen} onClose={() => setOpen(false)} isOn={isOn} onTurn={turn} />
    </Suspense>
  );
}

function useShortcuts(isOn: boolean, showHelp: () => void): void {
  const navigate = useNavigate();
  const navigation = useNavigation();
  // In a layout effect, so that no key press is missed.
  useLayoutEffect(() => {
    if (!isOn) return;
    let waitsForSecondUntil = 0;
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const key = event.key.toLowerCase();
      const target = event.timeStamp < waitsForSecondUntil && navigation.find(({ shortcut }) => shortcut === key);
      waitsForSecondUntil = key === 'g' ? event.timeStamp + secondKeyMs : 0;
      if (target) void navigate({ to: target.to });
      else if (event.key === '?') showHelp();
      else if (event.key !== '/' || !focusSearch()) return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [isOn, navigate, navigation, showHelp]);
}
