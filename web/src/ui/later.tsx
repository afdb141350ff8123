import { type ReactNode, useDeferredValue } from 'react';

export type LaterProps = {
  /** As large as what it stands for, so that nothing moves. */
  skeleton: ReactNode;
  children: ReactNode;
};

/** What is not looked at first: made when the rest of the page stands, which comes sooner by it. */
export function Later({ skeleton, children }: LaterProps) {
  return useDeferredValue(true, false) ? children : skeleton;
}
