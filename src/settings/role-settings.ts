import type { SettingsOf } from './setting.ts';

const roles = ['serve', 'worker'] as const;

/** What a process does: it answers requests, or works in the background, or both. */
export type Role = (typeof roles)[number];

export type RoleValues = { roles: readonly Role[] };

export const roleSettings: SettingsOf<RoleValues> = {
  roles: {
    env: 'FANFOLD_ROLES',
    fallback: roles,
    expected: `${roles.join(', ')} or both, separated by a comma`,
    read: readRoles,
  },
};

export function readRoles(text: string): Role[] | undefined {
  const names = text.split(',').map((part) => part.trim());
  const read = roles.filter((role) => names.includes(role));
  return names.every((name) => roles.some((role) => role === name)) ? read : undefined;
}
