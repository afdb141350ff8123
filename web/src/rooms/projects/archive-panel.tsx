import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useLanguage } from '../../i18n/language.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { notify, notifyProblem } from '../../ui/notify.tsx';
import { Panel } from '../../ui/panel.tsx';
import { type Project, useChangeProject } from './projects-queries.ts';
import { projectsTexts } from './projects-texts.ts';

export function ArchivePanel({ project }: { project: Project }) {
  const t = useTexts(projectsTexts);
  return (
    <Panel title={t.archiveTitle} text={t.archiveText} tone={project.archived_at === null ? 'danger' : 'plain'}>
      {project.archived_at === null ? <Archive project={project} /> : <Unarchive project={project} />}
    </Panel>
  );
}

const pathOf = ({ owner, slug }: Project) => ({ owner: owner.slug, project: slug });

function Archive({ project }: { project: Project }) {
  const t = useTexts(projectsTexts);
  const [isConfirming, setConfirming] = useState(false);
  const change = useChangeProject(pathOf(project), ({ name }) => {
    setConfirming(false);
    notify({ tone: 'good', text: t.archiveDone(name) });
  });
  return (
    <>
      <Button variant="outline" color="rust" onClick={() => setConfirming(true)}>
        {t.archive}
      </Button>
      <Confirm
        isOpen={isConfirming}
        onClose={() => setConfirming(false)}
        title={t.archiveConfirm(project.name)}
        action={t.archive}
        isBusy={change.isPending}
        error={change.error}
        onConfirm={() => change.mutate({ archived: true })}
      >
        <Text>{t.archiveConfirmText}</Text>
      </Confirm>
    </>
  );
}

function Unarchive({ project }: { project: Project }) {
  const t = useTexts(projectsTexts);
  const { language } = useLanguage();
  const change = useChangeProject(pathOf(project), ({ name }) => notify({ tone: 'good', text: t.unarchived(name) }));
  const unarchive = () => change.mutate({ archived: false }, { onError: (error) => notifyProblem(error, language) });
  return (
    <Button variant="default" loading={change.isPending} onClick={unarchive}>
      {t.unarchive}
    </Button>
  );
}
