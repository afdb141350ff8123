import { useQuery } from '@tanstack/react-query';
import { CatchBoundary, Outlet, useMatches, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { sessionQuery } from '../../api/session.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { Brand } from '../../ui/brand.tsx';
import { focusPageTitle } from '../../ui/page-title.tsx';
import { whenIdle } from '../../ui/when-idle.ts';
import { PageProblem } from '../route-problem.tsx';
import { AccountButton, loadAccountMenu } from './account-button.tsx';
import styles from './frame.module.css';
import { FrameSkeleton } from './frame-skeleton.tsx';
import { frameTexts } from './frame-texts.ts';
import { loadNavigationDrawer, NavigationButton } from './navigation-button.tsx';
import { PaletteButton } from './palette-button.tsx';
import { loadPalette, loadShortcutHelp, Shortcuts } from './shortcuts.tsx';
import { SideNavigation } from './side-navigation.tsx';

/** Loads what is not visible at first. */
function loadTheRest(): void {
  for (const load of [loadAccountMenu, loadNavigationDrawer, loadShortcutHelp, loadPalette])
    void load().catch(() => {});
}

/** The layout around every page of an account. */
export function Frame() {
  const t = useTexts(frameTexts);
  const { data: session } = useQuery(sessionQuery);
  const router = useRouter();
  const isOver = session === null;
  // The session ended while the page was open: the route redirects to the sign-in page.
  useEffect(() => {
    if (isOver) void router.invalidate();
  }, [isOver, router]);
  useFocusOnArrival();
  useEffect(() => whenIdle(loadTheRest), []);
  if (isOver) return <FrameSkeleton />;
  return (
    <div className={styles.frame}>
      <a className={styles.skip} href="#main">
        {t.skip}
      </a>
      <Shortcuts />
      <header className={styles.top}>
        <NavigationButton />
        <Brand />
        <PaletteButton isCompact />
        <AccountButton isCompact />
      </header>
      <aside className={styles.side} aria-label={t.side}>
        <Brand />
        <PaletteButton />
        <SideNavigation />
        <AccountButton />
      </aside>
      <main id="main" className={styles.main} tabIndex={-1}>
        <Inside />
      </main>
    </div>
  );
}

/** If a page fails, the navigation around it stays. */
function Inside() {
  const match = useMatches({ select: (matches) => matches.at(-1) });
  return (
    <CatchBoundary getResetKey={() => match} errorComponent={PageProblem}>
      <Outlet />
    </CatchBoundary>
  );
}

/**
 * Moves the focus to the title of a new page, so that it is read out. Not on the first page, where browsers handle
 * this.
 */
function useFocusOnArrival(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        if (!fromLocation || !pathChanged) return;
        focusPageTitle();
      }),
    [router],
  );
}
