import { Group, Tabs } from '@mantine/core';
import { CodeBlock } from '../../ui/code-block.tsx';

type CodeTab = { id: string; name: string; code: string };

/** The same code in several languages; `label` names the choice. */
export function CodeTabs({ label, tabs }: { label: string; tabs: readonly CodeTab[] }) {
  return (
    <Tabs defaultValue={tabs[0]?.id ?? null} keepMounted={false}>
      <Tabs.List aria-label={label} mb="sm">
        <Group gap={0}>
          {tabs.map(({ id, name }) => (
            <Tabs.Tab key={id} value={id}>
              {name}
            </Tabs.Tab>
          ))}
        </Group>
      </Tabs.List>
      {tabs.map(({ id, name, code }) => (
        <Tabs.Panel key={id} value={id}>
          <CodeBlock code={code} label={name} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
