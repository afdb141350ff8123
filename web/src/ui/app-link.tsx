import { Anchor } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';
import { basePath } from '../api/page-settings.ts';

/**
 * Whether the app has a page at an address from the server. Newer servers may name pages that this app does not have.
 */
export function useIsPage(): (href: string) => boolean {
  const router = useRouter();
  return (href) => {
    const [, params, found] = router.getMatchedRoutes(href.split(/[?#]/, 1)[0] ?? '');
    // The router also matches the nearest parent of an unknown page; the rest of the address is then `**`.
    return found !== undefined && params['**'] === undefined;
  };
}

type AppLinkProps = { href: string; children: ReactNode; 'aria-label'?: string };

/** A link to an address from the server; check it with `useIsPage` before. */
export function AppLink({ href, ...props }: AppLinkProps) {
  const router = useRouter();
  const follow = (event: MouseEvent) => {
    // Opens in another tab or window.
    const isElsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
    if (event.defaultPrevented || event.button !== 0 || isElsewhere) return;
    event.preventDefault();
    void router.navigate({ href });
  };
  return <Anchor href={basePath() + href} onClick={follow} underline="always" inherit {...props} />;
}
