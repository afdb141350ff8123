import { ActionIcon, Drawer } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useLocation, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { sessionQuery } from '../../api/session.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { plainHeader } from '../../ui/dialog.tsx';
import { IconMenu2 } from '../../ui/icons.tsx';
import { AccountMenu } from './account-menu.tsx';
import { Brand } from './brand.tsx';
import styles from './frame.module.css';
import { FrameSkeleton } from './frame-skeleton.tsx';
import { frameTexts } from './frame-texts.ts';
import { Shortcuts } from './shortcuts.tsx';
import { SideNavigation } from './side-navigation.tsx';
import { useFocusOnArrival } from './use-focus-on-arrival.ts';

/** What is around every page of an account. */
export function Frame() {
  const t = useTexts(frameTexts);
  const { data: session } = useQuery(sessionQuery);
  const router = useRouter();
  const isOver = session === null;
  // The session ended while the page was open: asked anew, its route leads to where one signs in.
  useEffect(() => {
    if (isOver) void router.invalidate();
  }, [isOver, router]);
  useFocusOnArrival();
  if (isOver) return <FrameSkeleton />;
  return (
    <div className={styles.frame}>
      <a className={styles.skip} href="#main">
        {t.skip}
      </a>
      <Shortcuts />
      <header className={styles.top}>
        <NavigationDrawer />
        <Brand />
        <AccountMenu isCompact />
      </header>
      <aside className={styles.side} aria-label={t.side}>
        <Brand />
        <SideNavigation />
        <AccountMenu />
      </aside>
      <main id="main" className={styles.main} tabIndex={-1}>
        <Outlet />
      </main>
    </div>
  );
}

function NavigationDrawer() {
  const t = useTexts(frameTexts);
  const { close: closeText } = useTexts(sharedTexts);
  const [isOpen, setOpen] = useState(false);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: it closes when one has gone somewhere
  useEffect(() => setOpen(false), [pathname]);
  return (
    <>
      <ActionIcon size="xl" aria-label={t.openNavigation} aria-expanded={isOpen} onClick={() => setOpen(true)}>
        <IconMenu2 size={22} />
      </ActionIcon>
      <Drawer
        opened={isOpen}
        onClose={() => setOpen(false)}
        size={280}
        title={<Brand />}
        closeButtonProps={{ 'aria-label': closeText }}
        attributes={plainHeader}
        transitionProps={{ duration: 150 }}
      >
        <SideNavigation />
      </Drawer>
    </>
  );
}
