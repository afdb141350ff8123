import { useTexts } from '../i18n/catalogue.ts';
import { ChoiceFilter } from './filters.tsx';
import { type Kind, kinds, kindTexts } from './kind.tsx';

type KindFilterProps = { value: Kind | undefined; onChange: (kind: Kind | undefined) => void };

export function KindFilter(props: KindFilterProps) {
  const t = useTexts(kindTexts);
  return <ChoiceFilter label={t.kind} all={t.all} values={kinds} names={t} {...props} />;
}
