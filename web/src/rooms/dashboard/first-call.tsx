import { Stack, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useTexts } from '../../i18n/catalogue.ts';
import { CodeTabs, exampleLanguages, exampleOf } from '../projects/index.ts';
import { callableQuery } from './dashboard-queries.ts';
import { dashboardTexts } from './dashboard-texts.ts';

/** A call of the first model that the account can use. */
export function FirstCall() {
  const t = useTexts(dashboardTexts);
  const { data } = useSuspenseQuery(callableQuery);
  const [facts] = data.data.flatMap(({ callable, ref, kind, call: { base_url: baseUrl } }) =>
    callable && baseUrl !== null ? [{ kind, model: ref, baseUrl }] : [],
  );
  if (!facts)
    return (
      <Text size="sm" c="dimmed">
        {t.nothingToCall}
      </Text>
    );
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        {t.setKey}
      </Text>
      <CodeTabs
        label={t.exampleLanguage}
        tabs={exampleLanguages.map(({ id, name }) => ({ id, name, code: exampleOf(facts, id) }))}
      />
      <Text size="sm" c="dimmed" aria-live="polite">
        {t.waitingForCall}
      </Text>
    </Stack>
  );
}
