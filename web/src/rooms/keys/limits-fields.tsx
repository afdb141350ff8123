import { TextInput, type TextInputProps } from '@mantine/core';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { keysTexts } from './keys-texts.ts';
import type { Limits, LimitsInput } from './limits-form.ts';

type LimitsFieldsProps = {
  propsOf: (field: keyof LimitsInput) => TextInputProps;
  /** Usage, for an existing key. */
  used?: Limits['used'];
  hasFocus?: boolean;
};

export function LimitsFields({ propsOf, used, hasFocus }: LimitsFieldsProps) {
  const t = useTexts(keysTexts);
  const format = useFormat();
  return (
    <>
      <TextInput
        label={t.perMinute}
        description={used && t.used(format.number(used.requests))}
        inputMode="numeric"
        data-autofocus={hasFocus}
        {...propsOf('requests_per_minute')}
      />
      <TextInput
        label={t.concurrent}
        description={used && t.used(format.number(used.running))}
        inputMode="numeric"
        {...propsOf('concurrent_requests')}
      />
      <TextInput
        label={t.perDay}
        description={used && t.used(format.credits(used.credits_today))}
        inputMode="decimal"
        {...propsOf('credits_per_day')}
      />
    </>
  );
}
