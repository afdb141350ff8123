import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Panel } from '../../ui/panel.tsx';
import { When } from '../../ui/when.tsx';
import type { Index } from './indexes-queries.ts';
import { indexesTexts } from './indexes-texts.ts';

export function IndexFacts({ index }: { index: Index }) {
  const t = useTexts(indexesTexts);
  const format = useFormat();
  const { documents, truncated, model_revision: revision } = index;
  return (
    <Panel title={t.about}>
      <Facts least="8rem">
        <Fact name={t.documents} more={truncated > 0 && t.truncated(format.number(truncated))}>
          {documents === null ? '–' : format.number(documents)}
        </Fact>
        <Fact name={t.baseModel} more={revision !== null && t.revision(format.number(revision))}>
          {index.base_model}
        </Fact>
        <Fact name={t.dimensions}>{format.number(index.dimensions)}</Fact>
        <Fact name={t.activeTime}>{format.duration(index.active_ms)}</Fact>
        <Fact name={t.credits} more={t.rate(format.credits(index.rate.credits_per_gpu_minute))}>
          {format.credits(index.credits)}
        </Fact>
        <Fact name={t.created}>
          <When at={index.created_at} />
        </Fact>
      </Facts>
    </Panel>
  );
}
