import { Badge, Button, Group, Skeleton, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { call, newIdempotencyKey } from '../../api/call.ts';
import { useSetDraft } from '../../api/use-draft.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { IconCircle, IconCircleCheck } from '../../ui/icons.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { TextLink } from '../../ui/text-link.tsx';
import { draftOf } from '../playground/index.ts';
import { CodeTabs, exampleLanguages, exampleOf, LazyCreateProject } from '../projects/index.ts';
import { callableQuery, type Dashboard, installedQuery, isAnyUsed, usedKeysQuery } from './dashboard-queries.ts';
import styles from './first-steps.module.css';
import { firstStepsTexts } from './first-steps-texts.ts';
import { sampleData } from './sample-data.ts';

type StepName = 'chat' | 'install' | 'choose' | 'call' | 'train';
/** Only operators install models; others choose from those that are there. */
const operatorSteps: readonly StepName[] = ['chat', 'install', 'call', 'train'];
const userSteps: readonly StepName[] = ['chat', 'choose', 'call', 'train'];
type Project = Dashboard['projects']['recent'][number];
/** The bundled model speaks English only. */
const starters = ['Hello! Who are you?', 'What is 12 plus 9?', 'Can you tell me a joke?'];
/** The models that ship with Fanfold. */
const bundled = /^fanfold-tiny-/;

type FirstStepsProps = { dashboard: Dashboard; isOperator: boolean };

/** From nothing to a model of one's own, without a command line. Hidden when all is done. */
export function FirstSteps({ dashboard, isOperator }: FirstStepsProps) {
  const t = useTexts(firstStepsTexts);
  const format = useFormat();
  const [isCreating, setCreating] = useState<boolean | null>(null);
  const models = useQuery({ ...installedQuery, enabled: isOperator });
  const keys = useQuery(usedKeysQuery);
  const installed = models.data?.data.find(({ id, serving }) => serving.available && !bundled.test(id));
  const done: Record<StepName, boolean> = {
    chat: dashboard.getting_started.first_call,
    install: installed !== undefined,
    choose: dashboard.models.active > 0,
    call: isAnyUsed(keys.data),
    train: dashboard.getting_started.training,
  };
  const project = dashboard.projects.recent.find(({ kind }) => kind === 'text');
  const steps = isOperator ? operatorSteps : userSteps;
  const doneCount = steps.filter((name) => done[name]).length;
  if (models.isLoading || keys.isLoading || doneCount === steps.length) return null;
  const actions: Record<StepName, ReactNode> = {
    chat: <Chat project={project} onCreate={() => setCreating(true)} />,
    install: <Install installed={installed} />,
    choose: <Choose project={project} />,
    call: dashboard.projects.total > 0 ? <Call isDone={done.call} /> : <NeedsProject />,
    train: <Train project={project} />,
  };
  return (
    <Panel
      title={t.start}
      text={t.startText}
      aside={<Badge color="pine">{t.doneOf(format.number(doneCount), format.number(steps.length))}</Badge>}
    >
      <ol className={styles.steps}>
        {steps.map((name) => (
          <li key={name} data-done={done[name] || undefined}>
            {done[name] ? <IconCircleCheck size={20} /> : <IconCircle size={20} />}
            <div className={styles.text}>
              <strong>{t.steps[name].do}</strong>
              {done[name] && <span className="visually-hidden"> ({t.done})</span>}
              <small>{isOperator && name === 'chat' ? t.chatBundled : t.steps[name].why}</small>
              <div className={styles.action}>{actions[name]}</div>
            </div>
          </li>
        ))}
      </ol>
      {/* Not in a step, which changes when there is a project. */}
      {isCreating !== null && (
        <AsyncBoundary skeleton={null}>
          <LazyCreateProject isOpen={isCreating} onClose={() => setCreating(false)} />
        </AsyncBoundary>
      )}
    </Panel>
  );
}

/** Questions that open the playground; the bundled model can answer them. */
function Chat({ project, onCreate }: { project: Project | undefined; onCreate: () => void }) {
  const t = useTexts(firstStepsTexts);
  const navigate = useNavigate();
  const setDraft = useSetDraft();
  if (!project) return <Button onClick={onCreate}>{t.newProject}</Button>;
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

function Install({ installed }: { installed: { id: string; name: string } | undefined }) {
  const t = useTexts(firstStepsTexts);
  return (
    <Group gap="xs">
      {installed && (
        <TextLink to="/models" search={{ q: installed.id }}>
          {t.see(installed.name)}
        </TextLink>
      )}
      <ButtonLink to="/operator/models" {...(installed ? { variant: 'default', size: 'xs' } : {})}>
        {t.steps.install.go}
      </ButtonLink>
    </Group>
  );
}

function Choose({ project }: { project: Project | undefined }) {
  const t = useTexts(firstStepsTexts);
  return (
    <Group gap="xs">
      <ButtonLink size="xs" variant="default" to="/models">
        {t.steps.choose.go}
      </ButtonLink>
      {project && (
        <ButtonLink
          size="xs"
          variant="default"
          to="/projects/$owner/$project/hosted-models"
          params={{ owner: project.owner, project: project.slug }}
        >
          {t.nameModel}
        </ButtonLink>
      )}
    </Group>
  );
}

function NeedsProject() {
  const t = useTexts(firstStepsTexts);
  return (
    <Text size="sm" c="dimmed">
      {t.needsProject}
    </Text>
  );
}

function ToRequests() {
  const t = useTexts(firstStepsTexts);
  return <TextLink to="/requests">{t.toRequests}</TextLink>;
}

/** An example with the address of a model, and with a key that is made for it. */
function Call({ isDone }: { isDone: boolean }) {
  const t = useTexts(firstStepsTexts);
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
        {t.nothingToCall}
      </Text>
    );
  const key = make.data?.key;
  if (key === undefined)
    return (
      <>
        <Group gap="xs">
          <Button
            {...(isDone ? { variant: 'default', size: 'xs' } : {})}
            onClick={() => make.mutate()}
            loading={make.isPending}
          >
            {t.makeKey}
          </Button>
          {isDone && <ToRequests />}
        </Group>
        {make.error && <ProblemNote error={make.error} />}
      </>
    );
  return (
    <>
      <Text size="sm" c="dimmed" mb="xs">
        {t.keyOnce} {isDone ? <ToRequests /> : t.waitingForCall}
      </Text>
      <CodeTabs
        label={t.exampleLanguage}
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
  const t = useTexts(firstStepsTexts);
  if (!project) return <NeedsProject />;
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
