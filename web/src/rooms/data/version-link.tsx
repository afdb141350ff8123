import { useQuery } from '@tanstack/react-query';
import { TextLink } from '../../ui/text-link.tsx';
import type { ProjectPath } from '../projects/index.ts';
import { datasetQuery } from './datasets-queries.ts';
import { versionName, versionQuery } from './version-queries.ts';

type VersionLinkProps = { at: ProjectPath; version: string };

/** The name of a dataset and of its version, with a link to the examples. */
export function VersionLink({ at: { owner, project }, version }: VersionLinkProps) {
  const { data: frozen } = useQuery(versionQuery({ owner, project }, version));
  const at = { owner, project, dataset: frozen?.dataset_id ?? '' };
  const { data: dataset } = useQuery({ ...datasetQuery(at), enabled: frozen !== undefined });
  if (!frozen) return '…';
  return (
    <TextLink to="/projects/$owner/$project/data/$dataset" params={at} search={{ version }}>
      {dataset?.name ?? '…'} · {versionName(frozen.number)}
    </TextLink>
  );
}
