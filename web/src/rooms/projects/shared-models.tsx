import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/generated/contract.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { KindBadge, kindTexts } from '../../ui/kind.tsx';
import { Panel } from '../../ui/panel.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import styles from './projects-page.module.css';
import { projectsQuery, sharedModelsQuery } from './projects-queries.ts';
import { projectsTexts } from './projects-texts.ts';

type SharedModel = Schemas['CallableModel'];

/** The models of other accounts that this one may call; nothing where there are none. */
export function SharedModels() {
  const t = useTexts(projectsTexts);
  const { data } = useQuery(sharedModelsQuery);
  const columns = useColumns();
  if (!data || data.data.length === 0) return null;
  return (
    <Panel title={t.sharedTitle} text={t.sharedText} flush>
      <DataTable
        label={t.sharedTitle}
        columns={columns}
        rows={data.data}
        idOf={addressOf}
        isDim={({ callable }) => !callable}
      />
    </Panel>
  );
}

const addressOf = ({ project, ref }: SharedModel) => `${project?.owner}/${project?.slug}/${ref}`;

function useColumns(): Column<SharedModel>[] {
  const t = useTexts(projectsTexts);
  const { kind: kindTitle } = useTexts(kindTexts);
  const { data: own } = useInfiniteQuery(projectsQuery({ kind: 'text' }));
  const place = own?.pages.flatMap(({ data }) => data).find(({ caller_role }) => caller_role === 'owner');
  return [
    {
      key: 'model',
      label: t.model,
      isName: true,
      render: ({ ref, name, project }) => (
        <>
          <Link
            className={styles.name}
            to="/projects/$owner/$project"
            params={{ owner: project?.owner ?? '', project: project?.slug ?? '' }}
          >
            {name}
          </Link>
          <span className={styles.path}>
            {project?.owner}/{project?.slug}/{ref}
          </span>
        </>
      ),
    },
    { key: 'kind', label: kindTitle, render: ({ kind }) => <KindBadge kind={kind} /> },
    {
      key: 'chat',
      label: t.tabs.playground,
      align: 'end',
      render: (model) =>
        place && model.kind === 'text' && model.callable ? (
          <TextLink
            to="/projects/$owner/$project/playground"
            params={{ owner: place.owner.slug, project: place.slug }}
            search={{ model: addressOf(model) }}
            aria-label={t.chatWith(model.name)}
          >
            {t.chat}
          </TextLink>
        ) : (
          '–'
        ),
    },
  ];
}
