import { Badge, Button, Group, Skeleton, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { call, newIdempotencyKey } from '../../api/call.ts';
import { useSetDraft } from '../../api/use-draft.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { IconCircle, IconCircleCheck } from '../../ui/icons.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { draftOf } from '../playground/index.ts';
import { CodeTabs, exampleLanguages, exampleOf } from '../projects/index.ts';
import { callableQuery, type Dashboard, installedQuery, usedKeysQuery } from './dashboard-queries.ts';
import { dashboardTexts } from './dashboard-texts.ts';
import styles from './first-steps.module.css';
import { operatorStepsTexts } from './operator-steps-texts.ts';
import { sampleData } from './sample-data.ts';

type StepName = 'chat' | 'install' | 'call' | 'train';
const stepNames: readonly StepName[] = ['chat', 'install', 'call', 'train'];
type Project = Dashboard['projects']['recent'][number];
/** The bundled model speaks English only. */
const starters = ['Hello! Who are you?', 'What is 12 plus 9?', 'Can you tell me a joke?'];
/** The models that ship with Fanfold. */
const bundled = /^fanfold-tiny-/;

/** From a fresh installation to a model of one's own, without a command line. */
export function OperatorSteps({ dashboard }: { dashboard: Dashboard }) {
  const t = useTexts(operatorStepsTexts);
  const shared = useTexts(dashboardTexts);
  const format = useFormat();
  const { data: models } = useQuery(installedQuery);
  const { data: keys } = useQuery(usedKeysQuery);
  const { first_call, training } = dashboard.getting_started;
  const done: Record<StepName, boolean> = {
    chat: first_call,
    install: models?.data.some(({ id, serving }) => serving.available && !bundled.test(id)) === true,
    call: keys?.data.some((key) => key.last_used_at !== null) === true,
    train: training,
  };
  const project = dashboard.projects.recent.find(({ kind }) => kind === 'text');
  const doneCount = stepNames.filter((name) => done[name]).length;
  if (doneCount === stepNames.length) return null;
  const actions: Record<StepName, ReactNode> = {
    chat: <Starters project={project} />,
    install: <ButtonLink to="/operator/models">{t.steps.install.go}</ButtonLink>,
    call: <CallFromCode />,
    train: <Train project={project} />,
  };
  return (
    <Panel
      title={shared.start}
      text={shared.startText}
      aside={<Badge color="pine">{shared.doneOf(format.number(doneCount), format.number(stepNames.length))}</Badge>}
    >
      <ol className={styles.steps}>
        {stepNames.map((name) => (
          <li key={name} data-done={done[name] || undefined}>
            {done[name] ? <IconCircleCheck size={20} /> : <IconCircle size={20} />}
            <div className={styles.text}>
              <strong>{t.steps[name].do}</strong>
              {done[name] && <span className="visually-hidden"> ({shared.done})</span>}
              <small>{t.steps[name].why}</small>
              <div className={styles.action}>{actions[name]}</div>
            </div>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

/** Each opens the playground with a question that the bundled model can answer. */
function Starters({ project }: { project: Project | undefined }) {
  const t = useTexts(operatorStepsTexts);
  const navigate = useNavigate();
  const setDraft = useSetDraft();
  if (!project) return <ButtonLink to="/projects">{t.toProjects}</ButtonLink>;
  const ask = (question: string) => {
    setDraft(draftOf(project, null), question);
    void navigate({
      to: '/projects/$owner/$project/playground',
      params: { owner: project.owner, project: project.slug },
    });
  };
  return (
    <Group gap="xs">
      {starters.map((question) => (
        <Button key={question} variant="default" size="xs" onClick={() => ask(question)}>
          {question}
        </Button>
      ))}
    </Group>
  );
}

/** An example with the address of a model, and with a key that is made for it. */
function CallFromCode() {
  const t = useTexts(operatorStepsTexts);
  const shared = useTexts(dashboardTexts);
  const queryClient = useQueryClient();
  const { data } = useQuery(callableQuery);
  const make = useMutation({
    mutationFn: () => call('POST /api/v1/keys', { body: { name: t.keyName }, idempotencyKey: newIdempotencyKey() }),
    onSuccess: () => void queryClient.invalidateQueries({ queryKey: ['keys'] }),
    // The key is forgotten as soon as it is no longer shown.
    gcTime: 0,
  });
  if (!data) return <Skeleton height={36} />;
  const [facts] = data.data.flatMap(({ callable, ref, kind, call: { base_url: baseUrl } }) =>
    callable && baseUrl !== null ? [{ kind, model: ref, baseUrl }] : [],
  );
  if (!facts)
    return (
      <Text size="sm" c="dimmed">
        {shared.nothingToCall}
      </Text>
    );
  const key = make.data?.key;
  if (key === undefined)
    return (
      <>
        <Button onClick={() => make.mutate()} loading={make.isPending}>
          {t.makeKey}
        </Button>
        {make.error && <ProblemNote error={make.error} />}
      </>
    );
  return (
    <>
      <Text size="sm" c="dimmed" mb="xs">
        {t.keyOnce}
      </Text>
      <CodeTabs
        label={shared.exampleLanguage}
        tabs={exampleLanguages.map(({ id, name }) => ({ id, name, code: withKey(exampleOf(facts, id), key) }))}
      />
    </>
  );
}

/** The key in the place of what reads it from the environment. */
function withKey(code: string, key: string): string {
  return code
    .replace('$FANFOLD_KEY', key)
    .replace('process.env.FANFOLD_KEY', `'${key}'`)
    .replace('os.environ["FANFOLD_KEY"]', `"${key}"`)
    .replace(/^import os\n/, '');
}

function Train({ project }: { project: Project | undefined }) {
  const t = useTexts(operatorStepsTexts);
  if (!project) return <ButtonLink to="/projects">{t.toProjects}</ButtonLink>;
  const params = { owner: project.owner, project: project.slug };
  return (
    <Group gap="xs">
      <Button variant="default" size="xs" onClick={() => saveFile('sample.jsonl', 'application/jsonl', sampleData())}>
        {t.sample}
      </Button>
      <ButtonLink size="xs" variant="default" to="/projects/$owner/$project/data" params={params}>
        {t.toData}
      </ButtonLink>
      <ButtonLink size="xs" variant="default" to="/projects/$owner/$project/training-jobs/new" params={params}>
        {t.toTraining}
      </ButtonLink>
    </Group>
  );
}
