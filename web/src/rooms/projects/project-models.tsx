import { Badge } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Schemas } from '../../api/generated/contract.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { IconCube } from '../../ui/icons.tsx';
import { projectKindOf } from '../../ui/kind.tsx';
import { Panel } from '../../ui/panel.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { CallExamples } from './call-examples.tsx';
import styles from './project-home.module.css';
import { baseModelsQuery, callableHereQuery, hostedModelsQuery, type Project } from './projects-queries.ts';
import { projectsTexts } from './projects-texts.ts';

const stateColors = { active: 'pine', inactive: 'gray', warming: 'amber', failed: 'rust' } as const;

const pathOf = ({ owner, slug }: Project) => ({ owner: owner.slug, project: slug });

/** Models for the owner: aliases and base models. */
export function OwnModels({ project }: { project: Project }) {
  const t = useTexts(projectsTexts);
  const path = pathOf(project);
  const { data: hosted } = useSuspenseQuery(hostedModelsQuery(path));
  const { data: bases } = useSuspenseQuery(baseModelsQuery);
  const active = hosted.data.filter(({ state }) => state === 'active').map(({ alias }) => alias);
  const installed = bases.data.filter(({ kind, serving }) => projectKindOf(kind) === project.kind && serving.available);
  const callable = [...active, ...installed.map(({ id }) => id)];
  const manage = (
    <TextLink to="/projects/$owner/$project/hosted-models" params={path}>
      {t.manageModels}
    </TextLink>
  );
  return (
    <>
      <Examples project={project} callable={callable} />
      <Panel title={t.modelsTitle} aside={manage}>
        {hosted.data.length === 0 && <NoModels title={t.noModelsTitle}>{t.noModels}</NoModels>}
        <ul className={styles.models}>
          {hosted.data.map(({ id, alias, display_name, base_model, state }) => (
            <ModelLine key={id} name={display_name} baseModel={base_model} state={state}>
              <Link to="/projects/$owner/$project/hosted-models/$id" params={{ ...path, id }}>
                {alias}
              </Link>
            </ModelLine>
          ))}
        </ul>
      </Panel>
    </>
  );
}

/** Models of a shared project. */
export function ModelsOfOthers({ project }: { project: Project }) {
  const t = useTexts(projectsTexts);
  const { data } = useSuspenseQuery(callableHereQuery(pathOf(project)));
  const callable = data.data.filter((model) => model.callable).map(({ ref }) => ref);
  return (
    <>
      <Examples project={project} callable={callable} />
      <Panel title={t.modelsTitle}>
        {data.data.length === 0 && <NoModels title={t.noneForYouTitle}>{t.noneForYou}</NoModels>}
        <ul className={styles.models}>
          {data.data.map(({ ref, name, base_model, state }) => (
            <ModelLine key={ref} name={name} baseModel={base_model} state={state}>
              {ref}
            </ModelLine>
          ))}
        </ul>
      </Panel>
    </>
  );
}

function Examples({ project, callable }: { project: Project; callable: readonly string[] }) {
  const [first, ...rest] = callable;
  if (first === undefined || project.archived_at !== null) return null;
  return <CallExamples project={project} models={[first, ...rest]} />;
}

function NoModels({ title, children }: { title: string; children: ReactNode }) {
  return (
    <EmptyState icon={IconCube} title={title}>
      {children}
    </EmptyState>
  );
}

type ModelLineProps = {
  name: string;
  baseModel: string;
  state: Schemas['HostedModel']['state'];
  children: ReactNode;
};

function ModelLine({ name, baseModel, state, children }: ModelLineProps) {
  const t = useTexts(projectsTexts);
  return (
    <li>
      <span>
        <code>{children}</code>
        <small>{name === baseModel ? baseModel : `${name} · ${baseModel}`}</small>
      </span>
      <Badge color={stateColors[state]}>{t.states[state]}</Badge>
    </li>
  );
}
