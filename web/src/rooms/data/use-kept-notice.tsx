import { useTexts } from '../../i18n/catalogue.ts';
import { AppLink } from '../../ui/app-link.tsx';
import { notify } from '../../ui/notify.tsx';
import type { ProjectPath } from '../projects/projects-queries.ts';
import { datasetsTexts } from './datasets-texts.ts';

/** Tells that something elsewhere became examples of a dataset, and leads on to it. */
export function useKeptNotice({ owner, project }: ProjectPath): (text: string, dataset: string) => void {
  const t = useTexts(datasetsTexts);
  return (text, dataset) =>
    notify({
      tone: 'good',
      text,
      link: <AppLink href={`/projects/${owner}/${project}/data/${dataset}`}>{t.toDataset}</AppLink>,
    });
}
