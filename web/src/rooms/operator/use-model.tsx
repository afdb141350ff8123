import { NativeSelect, Skeleton, Stack, Text } from '@mantine/core';
import { useSuspenseInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SubmitRow } from '../../ui/submit-row.tsx';
import { ServeTarget } from '../models/index.ts';
import { type Project, projectQuery, projectsQuery } from '../projects/index.ts';
import { modelsTexts } from './models-texts.ts';
import { operatorModelsQuery } from './operator-queries.ts';

type UseModelProps = { id: string; isOpen: boolean; onClose: () => void };

/** Serves an installed model under an alias of one of the operator's own projects. */
export function UseModel({ id, isOpen, onClose }: UseModelProps) {
  const t = useTexts(modelsTexts);
  const [project, setProject] = useState<string | null>(null);
  const close = () => {
    setProject(null);
    onClose();
  };
  return (
    <>
      <Dialog opened={isOpen && project === null} onClose={close} title={t.useTitle(id)} isLossless>
        <AsyncBoundary skeleton={<Skeleton height={120} />}>
          <ChooseProject id={id} onChoose={setProject} onClose={close} />
        </AsyncBoundary>
      </Dialog>
      {project !== null && (
        <AsyncBoundary skeleton={null}>
          <Serve address={project} id={id} isOpen={isOpen} onClose={close} />
        </AsyncBoundary>
      )}
    </>
  );
}

type ChooseProps = { id: string; onChoose: (address: string) => void; onClose: () => void };

function ChooseProject({ id, onChoose, onClose }: ChooseProps) {
  const t = useTexts(modelsTexts);
  const { data: models } = useSuspenseQuery(operatorModelsQuery);
  const kind = models.data.find((model) => model.id === id)?.kind === 'text' ? 'text' : 'embedding';
  const { data } = useSuspenseInfiniteQuery(projectsQuery({ kind }));
  const own = data.pages.flatMap((page) => page.data).filter((project) => project.caller_role === 'owner');
  const addresses = own.map(({ owner, slug }) => `${owner.slug}/${slug}`);
  const [chosen, setChosen] = useState(addresses[0] ?? '');
  if (addresses.length === 0) return <Text size="sm">{t.noProject}</Text>;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onChoose(chosen);
      }}
    >
      <Stack gap="md">
        <NativeSelect
          label={t.project}
          value={chosen}
          onChange={(event) => setChosen(event.currentTarget.value)}
          data={addresses}
        />
        <SubmitRow action={t.next} isBusy={false} onCancel={onClose} />
      </Stack>
    </form>
  );
}

function Serve({ address, id, ...props }: { address: string; id: string; isOpen: boolean; onClose: () => void }) {
  const [owner = '', slug = ''] = address.split('/');
  const { data: project } = useSuspenseQuery<Project>(projectQuery({ owner, project: slug }));
  return <ServeTarget project={project} name={id} target={{ type: 'base_model', id }} {...props} />;
}
