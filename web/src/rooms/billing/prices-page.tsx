import { Badge, Skeleton } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { KindBadge, kindTexts } from '../../ui/kind.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import { BackToCredits } from './back-to-credits.tsx';
import styles from './billing.module.css';
import { type Price, platformQuery, pricesQuery } from './billing-queries.ts';
import { EstimatePanel } from './estimate-panel.tsx';
import { pricesTexts } from './prices-texts.ts';

export function PricesPage() {
  const t = useTexts(pricesTexts);
  return (
    <Page title={t.title} lead={t.lead} guide="credits#what-things-cost" above={<BackToCredits />}>
      <AsyncBoundary skeleton={<Skeleton height={220} radius="lg" />}>
        <Terms />
      </AsyncBoundary>
      <AsyncBoundary skeleton={<TableSkeleton columns={5} rows={6} />}>
        <PriceList />
        <EstimatePanel />
      </AsyncBoundary>
    </Page>
  );
}

function Terms() {
  const t = useTexts(pricesTexts);
  const format = useFormat();
  const { data } = useSuspenseQuery(platformQuery);
  return (
    <Panel title={t.terms} aside={<Badge color="gray">{t.version(data.price_version)}</Badge>}>
      <ul className={styles.terms}>
        <li>{t.unit(format.number(data.billing_unit_ms))}</li>
        <li>{t.rounding}</li>
        <li>{t.failed}</li>
        <li>{t.training}</li>
        {Number(data.signup_credits) > 0 && <li>{t.signUp(format.credits(data.signup_credits))}</li>}
        <li>{t.frozen}</li>
      </ul>
    </Panel>
  );
}

type ModelPrices = Pick<Price, 'model' | 'kind'> & { rates: Partial<Record<Price['operation'], Price>> };

function byModel(prices: readonly Price[]): ModelPrices[] {
  const models = new Map<string, ModelPrices>();
  for (const price of prices) {
    const row = models.get(price.model) ?? { model: price.model, kind: price.kind, rates: {} };
    row.rates[price.operation] = price;
    models.set(price.model, row);
  }
  return [...models.values()];
}

function PriceList() {
  const t = useTexts(pricesTexts);
  const { kind: kindTitle } = useTexts(kindTexts);
  const format = useFormat();
  const { data } = useSuspenseQuery(pricesQuery);
  const rateText = (price: Price | undefined) => {
    if (!price) return '–';
    return price.free ? t.free : format.credits(price.credits_per_gpu_minute);
  };
  const columns: Column<ModelPrices>[] = [
    { key: 'model', label: t.model, isName: true, render: ({ model }) => model },
    { key: 'kind', label: kindTitle, render: ({ kind }) => <KindBadge kind={kind} /> },
    ...(['inference', 'training', 'index'] as const).map(
      (operation): Column<ModelPrices> => ({
        key: operation,
        label: t.columns[operation],
        align: 'end',
        render: ({ rates }) => rateText(rates[operation]),
      }),
    ),
  ];
  return (
    <Panel title={t.list} text={t.listText} flush>
      <DataTable label={t.list} columns={columns} rows={byModel(data.data)} idOf={({ model }) => model} />
    </Panel>
  );
}
