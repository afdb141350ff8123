import { actorOf, recordActivity } from '#activity';
import type { Database } from '#db';
import type { Principal } from '#http';
import { deleteSessions } from './sessions.store.ts';

/** Ends all sessions of the caller's account, or all but this one; how many that were. Keys stay. */
export function endSessions(
  database: Database,
  { principal, requestId, keepsCurrent }: { principal: Principal; requestId: string; keepsCurrent: boolean },
): Promise<number> {
  const { accountId, accountSlug, sessionId } = principal;
  return database.transaction(async (tx) => {
    const ended = await deleteSessions(tx, accountId, keepsCurrent ? sessionId : null);
    if (ended > 0)
      await recordActivity(tx, {
        accountId,
        type: 'account.sessions_ended',
        actor: actorOf(principal),
        subject: { kind: 'account', id: accountId, label: accountSlug },
        message: keepsCurrent ? 'All other sessions were ended.' : 'All sessions were ended.',
        data: { ended },
        requestId,
      });
    return ended;
  });
}
