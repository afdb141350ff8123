import { useTexts } from '../i18n/catalogue.ts';
import { ChoiceFilter } from './filters.tsx';
import { kindTexts, type ModelKind } from './kind.tsx';

type KindFilterProps<Kind extends ModelKind> = {
  values: readonly Kind[];
  value: Kind | undefined;
  onChange: (kind: Kind | undefined) => void;
};

export function KindFilter<Kind extends ModelKind>(props: KindFilterProps<Kind>) {
  const t = useTexts(kindTexts);
  return <ChoiceFilter label={t.kind} all={t.all} names={t} {...props} />;
}
