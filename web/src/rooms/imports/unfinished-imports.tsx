import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTexts } from '../../i18n/catalogue.ts';
import { Panel } from '../../ui/panel.tsx';
import { When } from '../../ui/when.tsx';
import { datasetsTexts } from '../data/datasets-texts.ts';
import type { ProjectPath } from '../projects/projects-queries.ts';
import styles from './imports.module.css';
import { importsQuery, isOver } from './imports-queries.ts';
import { importsTexts } from './imports-texts.ts';

/** Imports that wait for somebody, or are being worked on. Nothing when there are none. */
export function UnfinishedImports({ at }: { at: ProjectPath }) {
  const t = useTexts(datasetsTexts);
  const texts = useTexts(importsTexts);
  const { data } = useSuspenseQuery(importsQuery(at));
  const open = data.data.filter(({ state }) => !isOver(state));
  if (open.length === 0) return null;
  return (
    <Panel title={t.unfinished} text={t.unfinishedText}>
      <ul className={styles.unfinished}>
        {open.map(({ id, file, state, created_at }) => (
          <li key={id}>
            <Link to="/projects/$owner/$project/data/imports/$import" params={{ ...at, import: id }}>
              {file.name}
            </Link>
            <span>{texts.states[state]}</span>
            <When at={created_at} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
