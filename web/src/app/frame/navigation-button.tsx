import { ActionIcon } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { IconMenu2 } from '../../ui/icons.tsx';
import { frameTexts } from './frame-texts.ts';

export const loadNavigationDrawer = () => import('./navigation-drawer.tsx');

const NavigationDrawer = lazy(async () => ({ default: (await loadNavigationDrawer()).NavigationDrawer }));

/** Opens the navigation on narrow screens; the drawer is loaded when it is first opened. */
export function NavigationButton() {
  const t = useTexts(frameTexts);
  const [isRequested, setRequested] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: it closes when one has gone somewhere
  useEffect(() => setOpen(false), [pathname]);
  const open = () => {
    setRequested(true);
    setOpen(true);
  };
  return (
    <>
      <ActionIcon size="xl" aria-label={t.openNavigation} aria-expanded={isOpen} onClick={open}>
        <IconMenu2 size={22} />
      </ActionIcon>
      {isRequested && (
        <Suspense>
          <NavigationDrawer isOpen={isOpen} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
