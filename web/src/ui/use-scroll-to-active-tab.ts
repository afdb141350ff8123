import { useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/** Scrolls the active tab into view on narrow screens. */
export function useScrollToActiveTab() {
  const box = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has another tab
  useEffect(() => {
    const tab = box.current?.querySelector<HTMLElement>('[aria-current="page"]');
    // Not scrollIntoView, which would scroll the page too.
    if (box.current && tab) box.current.scrollLeft = tab.offsetLeft - (box.current.clientWidth - tab.offsetWidth) / 2;
  }, [pathname]);
  return box;
}
