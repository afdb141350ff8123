import type { Clock } from '#kernel';
import type { RouteSet } from './route-set.ts';
import type { LocalCounter, LocalPromptCounter } from './token-count.ts';
import type { WaitingCalls } from './waiting-calls.ts';

/** What calls of remote engines share. */
export type RemoteParts = {
  routes: RouteSet;
  waiting: WaitingCalls;
  clock: Clock;
  countHere: LocalCounter;
  countPromptHere: LocalPromptCounter;
};
