import { Group, NativeSelect, Tabs } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Panel } from '../../ui/panel.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { type ExampleLanguage, exampleLanguages, exampleOf } from './call-example.ts';
import type { Project } from './projects-queries.ts';
import { projectsTexts } from './projects-texts.ts';

/** The first call of a project, ready to be pasted. */
export function CallExamples({ project, models }: { project: Project; models: [string, ...string[]] }) {
  const t = useTexts(projectsTexts);
  const [chosen, setChosen] = useState<string>(models[0]);
  const model = models.includes(chosen) ? chosen : models[0];
  return (
    <Panel
      title={t.callIt}
      text={
        <>
          {t.callItText} <TextLink to="/keys">{t.makeKey}</TextLink>
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
      <Tabs defaultValue="curl" keepMounted={false}>
        <Tabs.List aria-label={t.language} mb="sm">
          <Group gap={0}>
            {exampleLanguages.map(({ id, name }) => (
              <Tabs.Tab key={id} value={id}>
                {name}
              </Tabs.Tab>
            ))}
          </Group>
        </Tabs.List>
        {exampleLanguages.map(({ id, name }) => (
          <Tabs.Panel key={id} value={id}>
            <Example {...{ project, model, language: id, name }} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Panel>
  );
}

type ExampleProps = { project: Project; model: string; language: ExampleLanguage; name: string };

function Example({ project: { kind, inference_base_url: baseUrl }, model, language, name }: ExampleProps) {
  return <CodeBlock code={exampleOf({ kind, baseUrl, model }, language)} label={name} />;
}
