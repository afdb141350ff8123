import { Anchor } from '@mantine/core';
import type { MouseEvent, ReactNode } from 'react';
import { basePath } from '../app/page-settings.ts';
import { router } from '../app/router.ts';

/**
 * Whether the app has a page at an address that the server names. Servers of later releases name pages that this app
 * may not have; such an address must not become a link that leads nowhere.
 */
export function isPage(href: string): boolean {
  const [, params, found] = router.getMatchedRoutes(href.split(/[?#]/, 1)[0] ?? '');
  // The router also finds the nearest page around an address that has none; the rest of the address is then left over.
  return found !== undefined && params['**'] === undefined;
}

export type AppLinkProps = { href: string; children: ReactNode; 'aria-label'?: string };

/** A link to an address that comes from the server; ask `isPage` before. */
export function AppLink({ href, ...props }: AppLinkProps) {
  const go = (event: MouseEvent) => {
    // Another tab or window, as the reader likes.
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.ctrlKey ||
      event.metaKey ||
      event.shiftKey ||
      event.altKey
    )
      return;
    event.preventDefault();
    void router.navigate({ href });
  };
  return <Anchor href={basePath() + href} onClick={go} underline="always" inherit {...props} />;
}
