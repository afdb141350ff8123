export const windowNames = ['24h', '7d', '30d'] as const;
export type WindowName = (typeof windowNames)[number];

export type DashboardWindow = {
  name: WindowName;
  grain: 'hour' | 'day';
  /** Starts of the points, UTC, the earliest first; the last one is the hour or day that runs. */
  points: Date[];
  since: Date;
};

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const shapes: Record<WindowName, { grain: 'hour' | 'day'; count: number }> = {
  '24h': { grain: 'hour', count: 24 },
  '7d': { grain: 'day', count: 7 },
  '30d': { grain: 'day', count: 30 },
};

/** Points are whole hours or days, the current one and those before it, so that they add up to the totals. */
export function windowAt(name: WindowName, nowMs: number): DashboardWindow {
  const { grain, count } = shapes[name];
  const stepMs = grain === 'hour' ? hourMs : dayMs;
  const last = Math.floor(nowMs / stepMs) * stepMs;
  const points = Array.from({ length: count }, (_, index) => new Date(last - (count - 1 - index) * stepMs));
  return { name, grain, points, since: new Date(last - (count - 1) * stepMs) };
}

/**
 * Days of the window in which the account existed; at least one, so that the first hour of an account is not
 * multiplied into a daily rate.
 */
export function daysBehind({ since }: DashboardWindow, { nowMs, bornAt }: { nowMs: number; bornAt: Date }): number {
  return Math.max(1, (nowMs - Math.max(since.getTime(), bornAt.getTime())) / dayMs);
}
