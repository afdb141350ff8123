import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { Description, DescriptionList } from '../../ui/description-list.tsx';
import { Panel } from '../../ui/panel.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import type { Index } from './indexes-queries.ts';
import { indexesTexts } from './indexes-texts.ts';

export function IndexDetails({ index }: { index: Index }) {
  const t = useTexts(indexesTexts);
  const format = useFormat();
  const { documents, truncated, model_revision: revision } = index;
  return (
    <Panel title={t.about}>
      <DescriptionList least="8rem">
        <Description name={t.documents} more={truncated > 0 && t.truncated(format.number(truncated))}>
          {documents === null ? '–' : format.number(documents)}
        </Description>
        <Description name={t.baseModel} more={revision !== null && t.revision(format.number(revision))}>
          {index.base_model}
        </Description>
        <Description name={t.dimensions}>{format.number(index.dimensions)}</Description>
        <Description name={t.activeTime}>{format.duration(index.active_ms)}</Description>
        <Description name={t.credits} more={t.rate(format.credits(index.rate.credits_per_gpu_minute))}>
          {format.credits(index.credits)}
        </Description>
        <Description name={t.created}>
          <RelativeTime at={index.created_at} />
        </Description>
      </DescriptionList>
    </Panel>
  );
}
