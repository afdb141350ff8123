import { Group } from '@mantine/core';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { type Icon, IconAlertCircle, IconCircleCheck, IconClock, IconX } from '../../ui/icons.tsx';
import { Panel } from '../../ui/panel.tsx';
import type { Import, ImportPath } from './imports-queries.ts';
import { importsTexts } from './imports-texts.ts';

type End = { icon: Icon; title: string; text: string };

export function EndStep({ at, going }: { at: ImportPath; going: Import }) {
  const t = useTexts(importsTexts);
  const { icon, title, text } = useEnd(going);
  const { dataset_id: dataset, state } = going;
  const isDone = state === 'completed' && dataset !== null;
  const version = going.result?.version_id ?? undefined;
  return (
    <Panel>
      <EmptyState
        icon={icon}
        title={title}
        action={
          <Group gap="xs" justify="center">
            {isDone && (
              <ButtonLink to="/projects/$owner/$project/data/$dataset" params={{ ...at, dataset }}>
                {t.toDataset}
              </ButtonLink>
            )}
            {isDone && version && (
              <ButtonLink
                variant="default"
                to="/projects/$owner/$project/training-jobs/new"
                params={at}
                search={{ dataset, version }}
              >
                {t.train}
              </ButtonLink>
            )}
            <ButtonLink
              variant={isDone ? 'default' : 'filled'}
              to="/projects/$owner/$project/data/imports/$import"
              params={{ ...at, import: 'new' }}
              search={{ dataset: dataset ?? undefined }}
            >
              {t.another}
            </ButtonLink>
          </Group>
        }
      >
        {text}
      </EmptyState>
    </Panel>
  );
}

function useEnd({ state, result, error }: Import): End {
  const t = useTexts(importsTexts);
  const format = useFormat();
  switch (state) {
    case 'completed': {
      const { examples_added: added = 0, rows_skipped: skipped = 0 } = result ?? {};
      return {
        icon: IconCircleCheck,
        title: t.doneTitle(format.number(added)),
        text: skipped > 0 ? t.doneText(format.number(skipped)) : t.doneAll,
      };
    }
    case 'canceled':
      return { icon: IconX, title: t.canceledTitle, text: t.canceledText };
    case 'expired':
      return { icon: IconClock, title: t.expiredTitle, text: t.expiredText };
    default:
      return {
        icon: IconAlertCircle,
        title: t.failedTitle,
        text: [error?.message, error?.hint, t.failedText].filter(Boolean).join(' '),
      };
  }
}
