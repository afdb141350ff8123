import type { Micro } from '#kernel';

/** What a call that ran has to pay, with everything the ledger keeps about it. */
export type Charge = {
  /** Makes the charge happen once, however often it is sent. */
  requestId: string;
  accountId: string;
  keyId: string | null;
  keyName?: string | null;
  projectId: string;
  /** Of the route that was called, as in `chat.create`. */
  operation: string;
  modelRequested: string;
  modelServed: string;
  /** null: the base model was called itself. */
  modelRevision: number | null;
  /** The call's share of the engine's steps, ms. */
  activeMs: number;
  /** Frozen at admission; 0n is a free route. */
  rateMicroPerMinute: Micro;
  priceVersion: string;
  /** What `hold` reserved at admission; the charge never exceeds it. 0n on a free route. */
  heldMicro: Micro;
  usage: { promptTokens: number; completionTokens: number };
  outcome: 'succeeded' | 'client_disconnected';
};
