import { type ReactNode, useDeferredValue } from 'react';

type LaterProps = {
  /** Of the same size, so that the layout does not shift. */
  skeleton: ReactNode;
  children: ReactNode;
};

/** False during the first render. */
export const useIsTime = (): boolean => useDeferredValue(true, false);

/** Renders its content after the rest of the page, which then appears sooner. */
export function Later({ skeleton, children }: LaterProps) {
  return useIsTime() ? children : skeleton;
}
