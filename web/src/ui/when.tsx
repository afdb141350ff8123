import { Tooltip } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { useFormat } from '../i18n/format.ts';

const everyMs = 30_000;

function subscribe(onChange: () => void): () => void {
  const timer = setInterval(onChange, everyMs);
  return () => clearInterval(timer);
}

/** The time, as often as texts such as "3 minutes ago" need it. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => Math.floor(Date.now() / everyMs) * everyMs);
}

/** How long ago something was; the exact time is one hover away. */
export function When({ at }: { at: string }) {
  const format = useFormat();
  const now = useNow();
  return (
    <Tooltip label={format.moment(at)}>
      {/* Within the step of the clock above, "in 5 seconds" would be nonsense. */}
      <time dateTime={at}>{format.ago(at, Math.max(now, Date.parse(at)))}</time>
    </Tooltip>
  );
}
