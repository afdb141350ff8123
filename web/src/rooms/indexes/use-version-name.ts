import { useQuery } from '@tanstack/react-query';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import type { DatasetPath } from '../data/datasets-queries.ts';
import { versionQuery } from '../versions/versions-queries.ts';
import { indexesTexts } from './indexes-texts.ts';

/** What a version is called, as soon as that is known. */
export function useVersionName(at: DatasetPath, id: string): string {
  const t = useTexts(indexesTexts);
  const format = useFormat();
  const { data: version } = useQuery(versionQuery(at, id));
  return version ? t.versionNumber(format.number(version.number)) : '…';
}
