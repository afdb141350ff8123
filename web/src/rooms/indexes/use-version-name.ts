import { useQuery } from '@tanstack/react-query';
import type { DatasetPath } from '../data/datasets-queries.ts';
import { versionName } from '../versions/version-name.ts';
import { versionQuery } from '../versions/versions-queries.ts';

/** What a version is called, as soon as that is known. */
export function useVersionName(at: DatasetPath, id: string): string {
  const { data: version } = useQuery(versionQuery(at, id));
  return version ? versionName(version.number) : '…';
}
