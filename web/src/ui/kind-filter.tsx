import { useTexts } from '../i18n/catalogue.ts';
import { ChoiceFilter } from './filters.tsx';
import { kinds, kindTexts, type ProjectKind } from './kind.tsx';

type KindFilterProps = { value: ProjectKind | undefined; onChange: (kind: ProjectKind | undefined) => void };

export function KindFilter(props: KindFilterProps) {
  const t = useTexts(kindTexts);
  return <ChoiceFilter label={t.kind} all={t.all} values={kinds} names={t} {...props} />;
}
