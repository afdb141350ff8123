import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';

/**
 * A new page begins at its title: the focus goes there, so that it is read out and Tab goes on from it. Not at the first
 * page, where browsers do that themselves.
 */
export function useFocusOnArrival(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        if (!fromLocation || !pathChanged) return;
        document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
      }),
    [router],
  );
}
