import type { Billing } from '#billing';
import type { Database } from '#db';
import { type AttendedCall, chargeFromJson, type PrincipalCalls, readChatRequest } from '#inference';
import { Fault, isUnavailableFault, type Log } from '#kernel';
import { deleteCharge, listOldCharges } from './charges.store.ts';
import { LiveAnswer } from './live-answer.ts';
import { messageToWire } from './messages.schema.ts';
import type { MessageRow } from './messages.store.ts';
import type { Turn } from './turns.ts';

export type RunDeps = {
  database: Database;
  calls: PrincipalCalls;
  /** Answers that this process makes, by message. */
  running: Map<string, LiveAnswer>;
  log: Pick<Log, 'warn'>;
};

/** What a request is answered with when it is sent again under its `Idempotency-Key`. */
export type KeptTurn = { userMessageId: string | null; messageId: string; answer: object; completion: object };

/** Makes the answer of a turn and gives it as it is in the end; a stream has taken the reply over by then. */
export async function runTurn(
  { database, calls, running, log }: RunDeps,
  call: AttendedCall,
  { userMessage, message, request }: Turn,
): Promise<MessageRow> {
  const live = new LiveAnswer({
    database,
    log,
    message,
    request,
    requestId: call.request.id,
    render: (kept, { body }): KeptTurn => ({
      userMessageId: userMessage?.id ?? null,
      messageId: message.id,
      answer: answerToWire(userMessage, kept),
      completion: body,
    }),
  });
  running.set(message.id, live);
  call.reply.headers(turnHeaders({ userMessageId: userMessage?.id ?? null, messageId: message.id }, call.request.id));
  try {
    await calls.answerChat(call, { wanted: readChatRequest(request), follower: live });
    await live.end(null, call.caller.signal.aborted);
    // If this fails, the sweep pays the charge once more, which changes nothing: a charge happens once per request.
    if (live.isPaid) await deleteCharge(database, call.request.id).catch(() => {});
    return live.message;
  } catch (error) {
    await live.end(error, call.caller.signal.aborted);
    throw error;
  } finally {
    // Another try may have begun, when this one was taken for dead.
    if (running.get(message.id) === live) running.delete(message.id);
  }
}

export function turnHeaders(
  { userMessageId, messageId }: Pick<KeptTurn, 'userMessageId' | 'messageId'>,
  requestId: string,
): Record<string, string> {
  return {
    ...(userMessageId === null ? {} : { 'x-fnf-user-message-id': userMessageId }),
    'x-fnf-message-id': messageId,
    'x-fnf-request-id': requestId,
  };
}

export function answerToWire(userMessage: MessageRow | null, message: MessageRow) {
  return { user_message: userMessage && messageToWire(userMessage), message: messageToWire(message) };
}

/** Old enough that whoever made them would have paid. */
const unpaidS = 60;

export type PayingDeps = { database: Database; billing: Billing; log: Pick<Log, 'warn'> };

/** Pays for answers that were kept by processes which died before they could. One that cannot be paid holds up no other. */
export async function payOldCharges({ database, billing, log }: PayingDeps): Promise<void> {
  for (const { requestId, charge } of await listOldCharges(database, unpaidS)) {
    try {
      await billing.settle(chargeFromJson(charge));
      await deleteCharge(database, requestId);
    } catch (error) {
      if (mayPassSoon(error)) throw error;
      log.warn({ err: error, requestId }, 'an answer cannot be paid');
    }
  }
}

/** The database is away, or its answer is: those behind fare no better now. */
function mayPassSoon(error: unknown): boolean {
  return isUnavailableFault(error) || (error instanceof Fault && error.fault === 'ambiguous_transport');
}
