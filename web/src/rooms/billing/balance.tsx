import { useSuspenseQuery } from '@tanstack/react-query';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { FigureRow } from '../../ui/figure-row.tsx';
import { creditsQuery } from './billing-queries.ts';
import { billingTexts } from './billing-texts.ts';

export function Balance() {
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
