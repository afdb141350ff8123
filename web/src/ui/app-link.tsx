import { Anchor, Button } from '@mantine/core';
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
  return <Anchor href={basePath() + href} onClick={follow(href)} underline="always" inherit {...props} />;
}

/** The same where it is the main thing to do. */
export function AppButton({ href, ...props }: AppLinkProps) {
  return <Button component="a" href={basePath() + href} onClick={follow(href)} {...props} />;
}

/** Goes there within the app, unless the reader wants another tab or window. */
const follow = (href: string) => (event: MouseEvent) => {
  const isElsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
  if (event.defaultPrevented || event.button !== 0 || isElsewhere) return;
  event.preventDefault();
  void router.navigate({ href });
};
