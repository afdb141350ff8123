import type { Format } from '../../i18n/format.ts';
import type { Activity } from './activity-queries.ts';
import type { activityTexts } from './activity-texts.ts';

type Texts = (typeof activityTexts)['en'];

/** The limits after a change, which explain why calls are refused. */
export function limitsSet({ type, data }: Pick<Activity, 'type' | 'data'>, t: Texts, format: Format): string[] {
  if (type !== 'limits.changed') return [];
  if ('storage_bytes' in data)
    return [typeof data.storage_bytes === 'number' ? t.storage(format.number(data.storage_bytes)) : t.noLimit];
  const { requests_per_minute: perMinute, concurrent_requests: atATime, credits_per_day: perDay } = data;
  const parts = [
    typeof perMinute === 'number' ? t.perMinute(format.number(perMinute)) : '',
    typeof atATime === 'number' ? t.atATime(format.number(atATime)) : '',
    typeof perDay === 'string' ? t.perDay(format.credits(perDay)) : '',
  ].filter((part) => part !== '');
  return parts.length > 0 ? parts : [t.noLimit];
}
