import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useLayoutEffect, useState } from 'react';
import { focusSearch } from '../../ui/focus-search.ts';
import {
  areShortcutsOn,
  isPaletteKey,
  isTyping,
  keepShortcuts,
  openEvent,
  openPalette,
  openShortcuts,
  paletteEvent,
} from '../../ui/shortcut-keys.ts';
import { useNavigation } from '../use-navigation.ts';

const secondKeyMs = 1_500;

export const loadShortcutHelp = () => import('./shortcut-help.tsx');
export const loadPalette = () => import('./palette.tsx');

const ShortcutHelp = lazy(async () => ({ default: (await loadShortcutHelp()).ShortcutHelp }));

const Palette = lazy(async () => ({ default: (await loadPalette()).Palette }));

/** Keyboard shortcuts, their help, and the search across the app: both are loaded when they are first opened. */
export function Shortcuts() {
  const help = useOpening(openEvent);
  const palette = useOpening(paletteEvent);
  const [isOn, setOn] = useState(areShortcutsOn);
  useShortcuts(isOn && !help.isOpen && !palette.isOpen, openShortcuts);
  usePaletteKey(isOn, palette);
  const turn = (next: boolean) => {
    keepShortcuts(next);
    setOn(next);
  };
  return (
    <Suspense>
      {help.isRequested && <ShortcutHelp {...propsOf(help)} isOn={isOn} onTurn={turn} />}
      {palette.isRequested && <Palette {...propsOf(palette)} />}
    </Suspense>
  );
}

type Opening = { isRequested: boolean; isOpen: boolean; setOpen: (isOpen: boolean) => void };

const propsOf = ({ isOpen, setOpen }: Opening) => ({ isOpen, onClose: () => setOpen(false) });

/** A dialog that an event of the window opens. */
function useOpening(name: string): Opening {
  const [isRequested, setRequested] = useState(false);
  const [isOpen, setOpen] = useState(false);
  useLayoutEffect(() => {
    const open = () => {
      setRequested(true);
      setOpen(true);
    };
    window.addEventListener(name, open);
    return () => window.removeEventListener(name, open);
  }, [name]);
  return { isRequested, isOpen, setOpen };
}

/** It also works in fields, but not over another dialog, whose input would be lost. */
function usePaletteKey(isOn: boolean, { isOpen, setOpen }: Opening): void {
  useLayoutEffect(() => {
    if (!isOn) return;
    const onKey = (event: KeyboardEvent) => {
      if (!isPaletteKey(event)) return;
      if (isOpen) setOpen(false);
      else if (document.querySelector('[role="dialog"]')) return;
      else openPalette();
      event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [isOn, isOpen, setOpen]);
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
