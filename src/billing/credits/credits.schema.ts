import Type, { type Static } from 'typebox';
import { creditsText, said, timestamp } from '#http';
import { formatCredits } from '#kernel';
import type { CreditsSummary } from './credits.ts';

export const creditsSchema = Type.Object(
  {
    settled: creditsText(said('Balance: the sum of the ledger.', '余额，即账目的合计。')),
    reserved: creditsText(
      said(
        'Held for calls and jobs that run; what they do not use comes back.',
        '为运行中的调用和任务预留的额度，未用部分会退回。',
      ),
    ),
    available: creditsText(
      said('What a new call may use: `settled` less `reserved`.', '新调用可用的额度：`settled` 减 `reserved`。'),
    ),
    lifetime: Type.Object(
      {
        granted: creditsText(said('Given by the operator.', '运营方发放的额度。')),
        purchased: creditsText(said('Bought.', '购买的额度。')),
        spent: creditsText(said('Used, less what was given back.', '已消费的额度，扣除退还部分。')),
      },
      said(
        'Since the account was made; `granted + purchased - spent` is `settled`.',
        '自账户创建以来的累计值；`granted + purchased - spent` 等于 `settled`。',
      ),
    ),
    low_balance: Type.Boolean(said("`settled` is below the operator's threshold.", '`settled` 低于运营方设定的阈值。')),
    as_of: timestamp(said('Time of these numbers.', '这些数字对应的时间。')),
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
