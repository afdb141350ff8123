import { NativeSelect, type NativeSelectProps } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useTexts } from '../../i18n/catalogue.ts';
import { projectKindOf } from '../../ui/kind.tsx';
import { baseModelsQuery } from '../projects/index.ts';
import { type CallableModel, trainedModelsQuery } from './models-queries.ts';
import { modelsTexts } from './models-texts.ts';

type TargetSelectProps = { kind: CallableModel['kind'] } & Omit<NativeSelectProps, 'data'>;

/** The possible targets of an alias: installed base models of its project's kind, and trained models. */
export function TargetSelect({ kind, ...props }: TargetSelectProps) {
  const t = useTexts(modelsTexts);
  const { data: bases } = useSuspenseQuery(baseModelsQuery);
  const { data: trained } = useSuspenseQuery(trainedModelsQuery(kind));
  const baseItems = bases.data
    .filter((model) => projectKindOf(model.kind) === projectKindOf(kind))
    .map(({ id, name, serving }) => ({
      value: id,
      label: serving.available ? name : t.notInstalled(name),
      disabled: !serving.available,
    }));
  const trainedItems = trained.data.map(({ ref, name, base_model }) => ({
    value: ref,
    label: `${name} · ${base_model}`,
  }));
  return (
    <NativeSelect
      label={t.target}
      description={t.targetHint}
      data={[
        { value: '', label: t.choose, disabled: true },
        ...(trainedItems.length > 0 ? [{ group: t.trainedModels, items: trainedItems }] : []),
        { group: t.baseModels, items: baseItems },
      ]}
      {...props}
    />
  );
}
