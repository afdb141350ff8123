import { type ReactNode, useDeferredValue } from 'react';

type DeferredProps = {
  /** Of the same size, so that the layout does not shift. */
  skeleton: ReactNode;
  children: ReactNode;
};

/** False during the first render. */
export const useIsAfterFirstRender = (): boolean => useDeferredValue(true, false);

/** Renders its content after the rest of the page, which then appears sooner. */
export function Deferred({ skeleton, children }: DeferredProps) {
  return useIsAfterFirstRender() ? children : skeleton;
}
