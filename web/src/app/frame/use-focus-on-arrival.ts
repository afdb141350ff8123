import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { focusPageTitle } from '../../ui/page-title.tsx';

/**
 * Moves the focus to the title of a new page, so that it is read out. Not on the first page, where browsers handle
 * this.
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
