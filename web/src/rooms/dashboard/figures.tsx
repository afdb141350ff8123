import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { FigureRow } from '../../ui/figure-row.tsx';
import type { Dashboard } from './dashboard-queries.ts';
import { dashboardTexts } from './dashboard-texts.ts';

const aYear = 365;

export function Figures({ dashboard: { credits, usage } }: { dashboard: Dashboard }) {
  const t = useTexts(dashboardTexts);
  const format = useFormat();
  const hasReserved = Number(credits.reserved) > 0;
  const days = credits.projected_days_left;
  const daysText = days === null ? null : days > aYear ? t.longLeft : t.daysLeft(format.number(days));
  const failedText = usage.errors === 0 ? t.noneFailed : t.failed(format.percent(usage.errors / usage.requests));
  return (
    <FigureRow
      figures={[
        {
          label: t.available,
          value: format.credits(credits.available),
          note: hasReserved ? t.reserved(format.credits(credits.reserved)) : daysText,
        },
        { label: t.spent, value: format.credits(credits.spent_window), note: hasReserved ? daysText : null },
        {
          label: t.requests,
          value: format.shortNumber(usage.requests),
          note: usage.requests === 0 ? t.noCalls : failedText,
          isBad: usage.errors > 0,
        },
        {
          label: t.latency,
          value: usage.p50_ms === 0 ? '–' : format.duration(usage.p50_ms),
          note: usage.p95_ms === 0 ? t.noCalls : t.p95(format.duration(usage.p95_ms)),
        },
      ]}
    />
  );
}
