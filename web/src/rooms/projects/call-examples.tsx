import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { Panel } from '../../ui/panel.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { exampleLanguages, exampleOf } from './call-example.ts';
import { CodeTabs } from './code-tabs.tsx';
import type { Project } from './projects-queries.ts';
import { projectsTexts } from './projects-texts.ts';

export function CallExamples({ project, models }: { project: Project; models: [string, ...string[]] }) {
  const t = useTexts(projectsTexts);
  const [chosen, setChosen] = useState<string>(models[0]);
  const model = models.includes(chosen) ? chosen : models[0];
  const facts = { kind: project.kind, baseUrl: project.inference_base_url, model };
  return (
    <Panel
      title={t.callIt}
      text={
        <>
          {t.callItText} <TextLink to="/keys">{t.toKeys}</TextLink>
        </>
      }
      aside={
        models.length > 1 && (
          <NativeSelect
            size="xs"
            aria-label={t.model}
            value={model}
            data={models}
            onChange={(event) => setChosen(event.currentTarget.value)}
          />
        )
      }
    >
      <CodeTabs
        label={t.language}
        tabs={exampleLanguages.map(({ id, name }) => ({ id, name, code: exampleOf(facts, id) }))}
      />
    </Panel>
  );
}
