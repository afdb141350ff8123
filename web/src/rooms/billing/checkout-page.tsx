import { Button, Group, Skeleton } from '@mantine/core';
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { useLanguage } from '../../i18n/language.tsx';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Description, DescriptionList } from '../../ui/description-list.tsx';
import { notifyProblem } from '../../ui/notify.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { BackToCredits } from './back-to-credits.tsx';
import { checkoutQuery, creditsQuery, useCancelCheckout } from './billing-queries.ts';
import { billingTexts } from './billing-texts.ts';
import { useMoney } from './money.ts';

const route = getRouteApi('/signed-in/credits/checkout/$id');

export function CheckoutPage() {
  const t = useTexts(billingTexts);
  return (
    <Page title={t.checkout} above={<BackToCredits />}>
      <AsyncBoundary skeleton={<Skeleton height={220} radius="lg" />}>
        <Purchase />
      </AsyncBoundary>
    </Page>
  );
}

/** One purchase; its state is polled. */
function Purchase() {
  const t = useTexts(billingTexts);
  const format = useFormat();
  const money = useMoney();
  const queryClient = useQueryClient();
  const { data: checkout } = useSuspenseQuery(checkoutQuery(route.useParams().id));
  const { state, credits, price, created_at } = checkout;
  useEffect(() => {
    if (state === 'completed') void queryClient.invalidateQueries(creditsQuery);
  }, [state, queryClient]);
  return (
    <Panel title={t.checkoutTitles[state]} text={t.checkoutTexts[state]}>
      <DescriptionList least="11rem">
        <Description name={t.amount}>{format.credits(credits)}</Description>
        <Description name={t.price}>{money(price)}</Description>
        <Description name={t.opened}>
          <RelativeTime at={created_at} />
        </Description>
      </DescriptionList>
      <Group gap="xs" mt="lg">
        {state === 'open' && checkout.url !== null ? (
          <>
            <Button component="a" href={checkout.url}>
              {t.pay}
            </Button>
            <CancelPurchase id={checkout.id} />
          </>
        ) : (
          <ButtonLink to="/credits">{t.toCredits}</ButtonLink>
        )}
      </Group>
    </Panel>
  );
}

function CancelPurchase({ id }: { id: string }) {
  const t = useTexts(billingTexts);
  const { language } = useLanguage();
  const cancel = useCancelCheckout(id);
  return (
    <Button
      variant="default"
      loading={cancel.isPending}
      onClick={() => cancel.mutate(undefined, { onError: (error) => notifyProblem(error, language) })}
    >
      {t.cancelCheckout}
    </Button>
  );
}
