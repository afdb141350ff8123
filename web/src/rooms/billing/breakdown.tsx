import { Progress, Skeleton } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { TimeBars } from '../../charts/time-bars.tsx';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { ledgerTypeTexts } from '../../i18n/ledger-type-texts.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { IconChartLine } from '../../ui/icons.tsx';
import { Panel } from '../../ui/panel.tsx';
import { SegmentedControl } from '../../ui/segmented-control.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import styles from './billing.module.css';
import { spanOf, summaryQuery, type UsageGroup } from './billing-queries.ts';
import { type BillingSearch, daysFrom, type Grouping, groupings, ledgerTypes, spans } from './billing-search.ts';
import { billingTexts } from './billing-texts.ts';

const route = getRouteApi('/signed-in/credits');

type BreakdownProps = { search: BillingSearch; shown: BillingSearch };

/** Spending over time, or by the largest groups. */
export function Breakdown({ search, shown }: BreakdownProps) {
  const t = useTexts(billingTexts);
  return (
    <Panel title={t.breakdown} aside={<Choice search={search} />}>
      <AsyncBoundary skeleton={<Skeleton height={250} radius="lg" />}>
        <Spending by={shown.by ?? 'day'} search={shown} />
      </AsyncBoundary>
    </Panel>
  );
}

function Choice({ search }: { search: BillingSearch }) {
  const t = useTexts(billingTexts);
  const navigate = route.useNavigate();
  const change = (next: BillingSearch) =>
    void navigate({ search: (now) => ({ ...now, ...next }), replace: true, resetScroll: false });
  return (
    <div className={styles.choice}>
      <SegmentedControl
        size="xs"
        aria-label={t.by}
        value={search.by ?? 'day'}
        data={groupings.map((value) => ({ value, label: t.groupings[value] }))}
        onChange={(value) => change({ by: groupings.find((each) => each === value) })}
      />
      <SegmentedControl
        size="xs"
        aria-label={t.span}
        value={String(spanOf(search))}
        data={spans.map((value) => ({ value: String(value), label: t.spans[value] }))}
        onChange={(value) => change({ days: spans.find((each) => String(each) === value) })}
      />
    </div>
  );
}

function Spending({ by, search }: { by: Grouping; search: BillingSearch }) {
  const t = useTexts(billingTexts);
  const format = useFormat();
  const { data: summary } = useSuspenseQuery(summaryQuery(by, spanOf(search)));
  const { totals, groups, data, from, to } = summary;
  if (data.length === 0)
    return (
      <EmptyState icon={IconChartLine} title={t.nothingSpent}>
        {t.nothingSpentHint}
      </EmptyState>
    );
  return (
    <>
      <p className={styles.totals}>
        {t.totals(format.credits(totals.credits), format.number(totals.requests), format.duration(totals.active_ms))}{' '}
        <TextLink to="/requests" search={{ hours: spanOf(search) === 7 ? 168 : undefined }}>
          {t.showRequests}
        </TextLink>
      </p>
      {by === 'day' ? (
        <Days groups={data} days={daysFrom(from, to)} />
      ) : (
        <>
          <Groups by={by} groups={data} search={search} />
          {groups > data.length && <p className={styles.totals}>{t.moreGroups(format.number(groups - data.length))}</p>}
        </>
      )}
    </>
  );
}

function Days({ groups, days }: { groups: readonly UsageGroup[]; days: readonly string[] }) {
  const t = useTexts(billingTexts);
  const format = useFormat();
  const spent = new Map(groups.map(({ group, credits }) => [group?.slice(0, 10), Number(credits)]));
  return (
    <TimeBars
      label={t.chartLabel}
      series={[{ name: t.creditsSpent, color: 'var(--chart-2)' }]}
      points={days.map((day) => ({
        key: day,
        label: format.dayUtc(day),
        title: `${format.dayUtc(day)} (UTC)`,
        values: [spent.get(day) ?? 0],
      }))}
      format={format.shortAmount}
      nothing={t.nothingSpent}
    />
  );
}

/** The ledger filter that corresponds to a group. */
function filterOf(by: Grouping, group: string): BillingSearch | null {
  switch (by) {
    case 'project':
      return { project: group };
    case 'model':
      return { model: group };
    case 'key':
      return { key_id: group };
    case 'type':
      return { type: ledgerTypes.find((each) => each === group) };
    case 'day':
      return null;
  }
}

type GroupsProps = { by: Grouping; groups: readonly UsageGroup[]; search: BillingSearch };

function Groups({ by, groups, search }: GroupsProps) {
  const t = useTexts(billingTexts);
  const typeNames = useTexts(ledgerTypeTexts);
  const format = useFormat();
  const most = Math.max(...groups.map(({ credits }) => Number(credits)), Number.MIN_VALUE);
  return (
    <ul className={styles.groups}>
      {groups.map(({ group, label, credits, requests, active_ms }) => {
        const type = by === 'type' ? ledgerTypes.find((each) => each === group) : undefined;
        const name = type ? typeNames[type] : (label ?? t.others);
        const filter = group === null ? null : filterOf(by, group);
        return (
          <li key={group}>
            <span className={styles.groupName}>
              {filter ? (
                <TextLink
                  to="/credits"
                  search={{ ...search, ...filter }}
                  resetScroll={false}
                  replace
                  title={t.onlyThis(name)}
                >
                  {name}
                </TextLink>
              ) : (
                name
              )}
              <Progress value={(Number(credits) / most) * 100} size={6} color="ink" aria-hidden="true" />
            </span>
            <span className={styles.groupAmount}>
              {format.credits(credits)}
              <small>
                {t.calls(format.shortNumber(requests))} · {format.duration(active_ms)}
              </small>
            </span>
          </li>
        );
      })}
    </ul>
  );
}
