import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTexts } from '../../i18n/catalogue.ts';
import { Panel } from '../../ui/panel.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import type { ProjectPath } from '../projects/index.ts';
import styles from './data.module.css';
import { importsQuery, isImportOver } from './datasets-queries.ts';
import { datasetsTexts } from './datasets-texts.ts';

export function UnfinishedImports({ at }: { at: ProjectPath }) {
  const t = useTexts(datasetsTexts);
  const { data } = useSuspenseQuery(importsQuery(at));
  const open = data.data.filter(({ state }) => !isImportOver(state));
  if (open.length === 0) return null;
  return (
    <Panel title={t.unfinished} text={t.unfinishedText}>
      <ul className={styles.unfinished}>
        {open.map(({ id, file, state, created_at }) => (
          <li key={id}>
            <Link to="/projects/$owner/$project/data/imports/$import" params={{ ...at, import: id }}>
              {file.name}
            </Link>
            <span>{t.importStates[state]}</span>
            <RelativeTime at={created_at} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
