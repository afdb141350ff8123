import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../../api/session.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { TextLink } from '../../ui/text-link.tsx';
import type { RequestRecord } from './requests-queries.ts';
import { requestsTexts } from './requests-texts.ts';

/** Prompt and answer, where the project stores them: only its owner's calls that succeeded. */
export function SavedCallLink({ request: { id, project, state } }: { request: RequestRecord }) {
  const t = useTexts(requestsTexts);
  const { data: session } = useQuery(sessionQuery);
  if (project === null || state !== 'succeeded' || session?.account.slug !== project.owner) return null;
  return (
    <Text size="sm" c="dimmed">
      <TextLink
        to="/projects/$owner/$project/saved-calls"
        params={{ owner: project.owner, project: project.slug }}
        search={{ id }}
      >
        {t.saved}
      </TextLink>{' '}
      {t.savedText}
    </Text>
  );
}
