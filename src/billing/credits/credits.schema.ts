import Type, { type Static } from 'typebox';
import { creditsText, timestamp } from '#http';
import { formatCredits } from '#kernel';
import type { CreditsSummary } from './credits.ts';

export const creditsSchema = Type.Object(
  {
    settled: creditsText('Balance: the sum of the ledger.'),
    reserved: creditsText('Held for calls and jobs that run; what they do not use comes back.'),
    available: creditsText('What a new call may use: `settled` less `reserved`.'),
    lifetime: Type.Object(
      {
        granted: creditsText('Given by the operator.'),
        purchased: creditsText('Bought.'),
        spent: creditsText('Used, less what was given back.'),
      },
      { description: 'Since the account was made; `granted + purchased - spent` is `settled`.' },
    ),
    low_balance: Type.Boolean({ description: "`settled` is below the operator's threshold." }),
    as_of: timestamp('Time of these numbers.'),
  },
  { $id: 'Credits' },
);

export function creditsToWire({ lifetime, ...credits }: CreditsSummary): Static<typeof creditsSchema> {
  return {
    settled: formatCredits(credits.settledMicro),
    reserved: formatCredits(credits.reservedMicro),
    available: formatCredits(credits.availableMicro),
    lifetime: {
      granted: formatCredits(lifetime.grantedMicro),
      purchased: formatCredits(lifetime.purchasedMicro),
      spent: formatCredits(lifetime.spentMicro),
    },
    low_balance: credits.isLow,
    as_of: credits.asOf.toISOString(),
  };
}
