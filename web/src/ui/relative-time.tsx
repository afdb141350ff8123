import { Tooltip } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { useFormat } from '../i18n/format.ts';

const everyMs = 30_000;

function subscribe(onChange: () => void): () => void {
  const timer = setInterval(onChange, everyMs);
  return () => clearInterval(timer);
}

/** The current time, updated often enough for "3 minutes ago". */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => Math.floor(Date.now() / everyMs) * everyMs);
}

/** A relative time; the tooltip has the exact one. */
export function RelativeTime({ at }: { at: string }) {
  const format = useFormat();
  const now = useNow();
  return (
    <Tooltip label={format.dateTime(at)}>
      {/* Below the resolution of the clock, "in 5 seconds" would be wrong. */}
      <time dateTime={at}>{format.ago(at, Math.max(now, Date.parse(at)))}</time>
    </Tooltip>
  );
}
