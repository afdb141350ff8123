import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../../api/session.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { Description, DescriptionList } from '../../ui/description-list.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { type RequestRecord, savedCallOf } from './requests-queries.ts';
import { requestsTexts } from './requests-texts.ts';

/** Prompt and answer, where the project stores them: only its owner's calls that succeeded. */
export function SavedCall({ request: { id, project, state } }: { request: RequestRecord }) {
  const { data: session } = useQuery(sessionQuery);
  if (project === null || state !== 'succeeded' || session?.account.slug !== project.owner) return null;
  return <PromptAndAnswer id={id} params={{ owner: project.owner, project: project.slug }} />;
}

function PromptAndAnswer({ id, params }: { id: string; params: { owner: string; project: string } }) {
  const t = useTexts(requestsTexts);
  const { data } = useQuery(savedCallOf({ ...params, id }));
  if (!data) return null;
  const [saved] = data.data;
  if (!saved)
    return (
      <Text size="sm" c="dimmed">
        {t.notSaved}{' '}
        <TextLink to="/projects/$owner/$project/settings" params={params}>
          {t.toSettings}
        </TextLink>
      </Text>
    );
  return (
    <Stack gap="xs">
      <DescriptionList least="11rem">
        <Description name={t.prompt}>{saved.prompt_preview || '–'}</Description>
        <Description name={t.answer}>{saved.answer_preview || '–'}</Description>
      </DescriptionList>
      <TextLink to="/projects/$owner/$project/saved-calls" params={params} search={{ id }}>
        {t.saved}
      </TextLink>
    </Stack>
  );
}
