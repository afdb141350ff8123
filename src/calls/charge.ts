import type { Micro } from '#kernel';

/** What finished work has to pay, with everything the ledger records about it. */
export type Charge = {
  type: 'inference' | 'index' | 'training';
  /** The row in `calls` that holds the credits. */
  callId: string;
  /** Names the charge in the ledger, which has one row for it, however often it is sent. Null: `training` names it. */
  requestId: string | null;
  training?: { jobId: string; attempt: number };
  accountId: string;
  keyId: string | null;
  keyName?: string | null;
  projectId: string;
  /** Of the route that was called, as in `chat.create`. */
  operation: string;
  modelRequested: string;
  modelServed: string;
  /** Null: the base model was called itself. */
  modelRevision: number | null;
  /** The work's share of the engine's steps, ms. */
  activeMs: number;
  /** Frozen when the work began; 0n is a free route. */
  rateMicroPerMinute: Micro;
  priceVersion: string;
  /** What was held for the work; the charge never exceeds it. 0n on a free route. */
  heldMicro: Micro;
  /** Null: the work has no tokens. */
  usage: { promptTokens: number; completionTokens: number } | null;
  outcome: 'succeeded' | 'client_disconnected' | 'canceled' | null;
  /** Counts towards the limits of key and account. */
  isLimited?: boolean;
  note?: string | null;
};
