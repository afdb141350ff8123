import { type ReactNode, useDeferredValue } from 'react';

type LaterProps = {
  /** As large as what it stands for, so that nothing moves. */
  skeleton: ReactNode;
  children: ReactNode;
};

/** False while a part of a page is made for the first time: for what can wait until that stands. */
export const useIsTime = (): boolean => useDeferredValue(true, false);

/** What is not looked at first: made when the rest of the page stands, which comes sooner by it. */
export function Later({ skeleton, children }: LaterProps) {
  return useIsTime() ? children : skeleton;
}
