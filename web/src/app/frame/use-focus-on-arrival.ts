import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { focusPageTitle } from '../../ui/page-title.tsx';

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
        focusPageTitle();
      }),
    [router],
  );
}
