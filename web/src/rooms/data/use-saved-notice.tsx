import { useTexts } from '../../i18n/catalogue.ts';
import { notify } from '../../ui/notify.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import type { ProjectPath } from '../projects/index.ts';
import { datasetsTexts } from './datasets-texts.ts';

export function useSavedNotice({ owner, project }: ProjectPath): (text: string, dataset: string) => void {
  const t = useTexts(datasetsTexts);
  return (text, dataset) =>
    notify({
      tone: 'good',
      text,
      link: (
        <TextLink to="/projects/$owner/$project/data/$dataset" params={{ owner, project, dataset }}>
          {t.toDataset}
        </TextLink>
      ),
    });
}
