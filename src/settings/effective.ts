import { formatCredits } from '#kernel';
import type { Setting } from './setting.ts';

/** A setting as this process has it. */
export type EffectiveSetting = {
  env: string;
  /** As it would be written; null: none. A secret is `set`. */
  value: string | null;
  isDefault: boolean;
  expected: string;
};

/** Values of these are not shown to anybody; `DATABASE_URL` may hold a password. */
const secretName = /(?:SECRET|TOKEN|ACCESS_KEY|_KEY|DATABASE_URL)(?:_ID)?$/;

export function effectiveSettings(
  settings: Record<string, Setting<unknown>>,
  values: Record<string, unknown>,
): EffectiveSetting[] {
  return Object.entries(settings).map(([name, { env, fallback, expected, unit = 1 }]) => {
    const value = values[name];
    const text = textOf(value, unit);
    return {
      env,
      value: text !== null && secretName.test(env) ? 'set' : text,
      isDefault: text === textOf(fallback, unit),
      expected,
    };
  });
}

function textOf(value: unknown, unit: number): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') return String(value / unit);
  if (typeof value === 'bigint') return formatCredits(value);
  if (Array.isArray(value)) return value.length === 0 ? null : value.join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
