import { Radio, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useIdempotencyKey } from '../../api/use-idempotency-key.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { SubmitRow } from '../../ui/submit-row.tsx';
import { type Order, type Platform, useOpenCheckout } from './billing-queries.ts';
import { billingTexts } from './billing-texts.ts';
import { useMoney } from './money.ts';

type BuyProps = { platform: Platform; isOpen: boolean; onClose: () => void };

export function BuyCredits({ platform, isOpen, onClose }: BuyProps) {
  const t = useTexts(billingTexts);
  return (
    <Dialog opened={isOpen} onClose={onClose} title={t.buyTitle}>
      <OrderForm platform={platform} onClose={onClose} />
    </Dialog>
  );
}

const other = 'other';

/** From 1 to 1,000,000, as the server accepts it. */
function isAmount(text: string): boolean {
  return /^\d{1,7}(\.\d{1,6})?$/.test(text) && Number(text) >= 1 && Number(text) <= 1_000_000;
}

function OrderForm({ platform, onClose }: Omit<BuyProps, 'isOpen'>) {
  const t = useTexts(billingTexts);
  const format = useFormat();
  const money = useMoney();
  const { packs, credit_price } = platform;
  const [choice, setChoice] = useState(packs[0]?.id ?? other);
  const [amount, setAmount] = useState('');
  const [isWrong, setWrong] = useState(false);
  const checkout = useOpenCheckout();
  const idempotencyKeyOf = useIdempotencyKey();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const credits = amount.trim();
    setWrong(choice === other && !isAmount(credits));
    if (choice === other && !isAmount(credits)) return;
    const body: Order = choice === other ? { credits } : { pack_id: choice };
    checkout.mutate(
      { body, idempotencyKey: idempotencyKeyOf(body) },
      {
        onSuccess: ({ url }) => {
          if (url !== null) location.assign(url);
        },
      },
    );
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Radio.Group label={t.pack} value={choice} onChange={setChoice}>
          <Stack gap="sm" mt="xs">
            {packs.map(({ id, credits, price }) => (
              <Radio key={id} value={id} label={t.packLabel(format.credits(credits), money(price))} />
            ))}
            {credit_price && <Radio value={other} label={t.other} description={t.each(money(credit_price))} />}
          </Stack>
        </Radio.Group>
        {choice === other && (
          <TextInput
            label={t.otherLabel}
            inputMode="decimal"
            value={amount}
            onChange={(event) => setAmount(event.currentTarget.value)}
            error={isWrong && t.otherWrong}
          />
        )}
        <Text size="sm" c="dimmed">
          {t.payAtStripe}
        </Text>
        {checkout.error ? <ProblemNote error={checkout.error} /> : null}
        <SubmitRow action={t.toPayment} isBusy={checkout.isPending || checkout.isSuccess} onCancel={onClose} />
      </Stack>
    </form>
  );
}
