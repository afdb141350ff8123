/** Formats that are enforced; all others are annotations, as JSON Schema has it. */
export function formatPattern(format: unknown): string | null {
  const date = '\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|1\\d|2[0-8])';
  const time = '([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d{1,9})?(Z|[+-]([01]\\d|2[0-3]):[0-5]\\d)';
  const label = '[A-Za-z0-9]([A-Za-z0-9-]{0,30}[A-Za-z0-9])?';
  const byte = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
  const group = '[0-9a-fA-F]{1,4}';
  const whole = '\\d{1,6}';
  const days = `(${whole}D|${whole}M(${whole}D)?|${whole}Y(${whole}M(${whole}D)?)?)`;
  const hours = `T(${whole}S|${whole}M(${whole}S)?|${whole}H(${whole}M(${whole}S)?)?)`;
  const patterns = new Map<unknown, string>([
    ['date', `^${date}$`],
    ['time', `^${time}$`],
    ['date-time', `^${date}T${time}$`],
    ['duration', `^P(${days}(${hours})?|${hours}|${whole}W)$`],
    ['uuid', '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$'],
    ['email', `^[A-Za-z0-9_+-]{1,32}(\\.[A-Za-z0-9_+-]{1,32}){0,4}@${label}(\\.${label}){1,4}$`],
    ['hostname', `^${label}(\\.${label}){0,6}$`],
    ['ipv4', `^${byte}(\\.${byte}){3}$`],
    ['ipv6', `^((${group}:){7}${group}|${shortenedGroups(group)})$`],
  ]);
  return patterns.get(format) ?? null;
}

/** In an address of eight groups `::` stands for at least one of them, so that at most seven are beside it. */
function shortenedGroups(group: string): string {
  const upTo = (most: number) => (most === 0 ? '' : `(${group}(:${group}){0,${most - 1}})?`);
  return [0, 1, 2, 3, 4, 5, 6]
    .map((before) => (before === 0 ? `::${upTo(7)}` : `${group}(:${group}){${before - 1}}::${upTo(7 - before)}`))
    .join('|');
}
