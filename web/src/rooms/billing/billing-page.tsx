import { Alert, Button, Group } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { FigureRow, FigureRowSkeleton } from '../../ui/figure-row.tsx';
import { IconAlertTriangle, IconCreditCard } from '../../ui/icons.tsx';
import { Page } from '../../ui/page.tsx';
import { creditsQuery, platformQuery } from './billing-queries.ts';
import { billingTexts } from './billing-texts.ts';
import { Breakdown } from './breakdown.tsx';
import { BuyCredits } from './buy-credits.tsx';
import { Ledger } from './ledger.tsx';

const route = getRouteApi('/signed-in/credits');

export function BillingPage() {
  const t = useTexts(billingTexts);
  const search = route.useSearch();
  // Data stays until that of another filter is loaded.
  const shown = useDeferredValue(search);
  return (
    <Page title={t.title} lead={t.lead} guide="credits" actions={<Actions />}>
      <AsyncBoundary skeleton={<FigureRowSkeleton figures={4} />}>
        <LowBalance />
        <Balance />
      </AsyncBoundary>
      <Breakdown search={search} shown={shown} />
      <Ledger search={search} shown={shown} />
    </Page>
  );
}

function Actions() {
  const t = useTexts(billingTexts);
  const [isBuying, setBuying] = useState(false);
  const { data: platform } = useQuery(platformQuery);
  return (
    <Group gap="xs">
      <ButtonLink variant="default" to="/credits/prices">
        {t.prices}
      </ButtonLink>
      {platform?.checkout_enabled && (
        <>
          <Button leftSection={<IconCreditCard size={16} />} onClick={() => setBuying(true)}>
            {t.buy}
          </Button>
          <BuyCredits platform={platform} isOpen={isBuying} onClose={() => setBuying(false)} />
        </>
      )}
    </Group>
  );
}

function LowBalance() {
  const t = useTexts(billingTexts);
  const { data: credits } = useSuspenseQuery(creditsQuery);
  const { data: platform } = useQuery(platformQuery);
  if (!credits.low_balance) return null;
  const isEmpty = Number(credits.available) <= 0;
  return (
    <Alert color={isEmpty ? 'rust' : 'amber'} icon={<IconAlertTriangle />} title={isEmpty ? t.emptyTitle : t.lowTitle}>
      {isEmpty ? t.emptyText : t.lowText} {platform?.checkout_enabled === false && t.askOperator}
    </Alert>
  );
}

function Balance() {
  const t = useTexts(billingTexts);
  const format = useFormat();
  const { data } = useSuspenseQuery(creditsQuery);
  const { settled, reserved, available, lifetime } = data;
  const hasReserved = Number(reserved) > 0;
  const received = (Number(lifetime.granted) + Number(lifetime.purchased)).toFixed(6);
  return (
    <FigureRow
      figures={[
        {
          label: t.available,
          value: format.credits(available),
          note: hasReserved ? t.settled(format.credits(settled)) : null,
        },
        { label: t.reserved, value: format.credits(reserved), note: t.reservedText },
        { label: t.spent, value: format.credits(lifetime.spent), note: null },
        {
          label: t.received,
          value: format.credits(received),
          note: t.receivedText(format.credits(lifetime.granted), format.credits(lifetime.purchased)),
        },
      ]}
    />
  );
}
