import { type NotificationData, Notifications, notifications } from '@mantine/notifications';
import { isConnectionLostNow } from '../api/connection.ts';
import { isProblem } from '../api/problem.ts';
import type { Language } from '../i18n/language.tsx';
import { textOfProblem } from '../i18n/problem-texts.ts';
import { ConnectionBanner } from './connection-banner.tsx';
import { ProblemFacts } from './problem-alert.tsx';

export function Notices() {
  return (
    <>
      <ConnectionBanner />
      <Notifications position="bottom-right" limit={3} containerWidth={380} />
    </>
  );
}

export const show = notifications.show;

/** A lost connection has a banner of its own. */
export async function showProblem(
  fields: Omit<NotificationData, 'message'>,
  error: unknown,
  language: Language,
): Promise<void> {
  if (isProblem(error, 'offline') && (await isConnectionLostNow())) return;
  const { what, next } = textOfProblem(error, language);
  const message = (
    <>
      {what} {next}
      <ProblemFacts error={error} />
    </>
  );
  show({ ...fields, message });
}
