import { useQuery } from '@tanstack/react-query';
import { useTexts } from '../../i18n/catalogue.ts';
import { type CallableModel, type TargetName, trainedModelsQuery } from './models-queries.ts';
import { modelsTexts } from './models-texts.ts';
import { targetValue } from './target-value.ts';

/** The name of a target: a base model's id, or the name of a training job. */
export function useTargetName(
  kind: CallableModel['kind'],
  targets: readonly TargetName[],
): (target: TargetName) => string {
  const t = useTexts(modelsTexts);
  const isNeeded = targets.some(({ type }) => type === 'training_job');
  const { data: trained, isLoading } = useQuery({ ...trainedModelsQuery(kind), enabled: isNeeded });
  return (target) => {
    if (target.type === 'base_model') return target.id;
    if (isLoading) return '…';
    const job = trained?.data.find(({ ref }) => ref === targetValue(target));
    return job?.name ?? t.trained(target.id);
  };
}
