import { Button, Stack, Text, Tooltip } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { CodeTabs, exampleLanguages, exampleOf } from '../projects/index.ts';
import styles from './models.module.css';
import type { CallableModel } from './models-queries.ts';
import { registryTexts } from './registry-texts.ts';

/** Shows how to call a model of the registry, or why it cannot be called. */
export function CallModel({ model }: { model: CallableModel }) {
  const t = useTexts(registryTexts);
  const [isOpen, setOpen] = useState(false);
  const { ref, kind, call, not_callable_reason: reason } = model;
  if (reason !== null || call.base_url === null)
    return (
      <Tooltip label={t.reasonHints[reason ?? 'no_project']} multiline maw={260} events={tooltipEvents}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what it means is said in its tooltip */}
        <span className={styles.reason} tabIndex={0}>
          {t.reasons[reason ?? 'no_project']}
        </span>
      </Tooltip>
    );
  const facts = { kind, baseUrl: call.base_url, model: ref };
  return (
    <>
      <Button size="compact-sm" variant="default" aria-label={t.callNamed(ref)} onClick={() => setOpen(true)}>
        {t.callIt}
      </Button>
      <Dialog opened={isOpen} onClose={() => setOpen(false)} title={t.callTitle(ref)} size="xl">
        <Stack gap="md">
          <Text size="sm" c="dimmed">
            {t.callText}
          </Text>
          <CodeTabs
            label={t.language}
            tabs={exampleLanguages.map(({ id, name }) => ({ id, name, code: exampleOf(facts, id) }))}
          />
        </Stack>
      </Dialog>
    </>
  );
}

const tooltipEvents = { hover: true, focus: true, touch: true };
