/** Every day that exists: 29 February in leap years only (RFC 3339, appendix C). */
const date = [
  '\\d{4}-(0[13578]|1[02])-(0[1-9]|[12]\\d|3[01])',
  '\\d{4}-(0[469]|11)-(0[1-9]|[12]\\d|30)',
  '\\d{4}-02-(0[1-9]|1\\d|2[0-8])',
  '(\\d{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29',
].join('|');

/**
 * Formats that are enforced; all others are annotations, as JSON Schema has it. `isBounded`: a length or a pattern
 * applies to the text, too. With either, counting labels and their characters takes more states than a grammar may have, so they are
 * not counted then.
 */
export function formatPattern(format: unknown, { isBounded }: { isBounded: boolean }): string | null {
  // A leap second ends an hour.
  const time = '([01]\\d|2[0-3]):([0-5]\\d:[0-5]\\d|59:60)(\\.\\d{1,12})?([Zz]|[+-]([01]\\d|2[0-3]):[0-5]\\d)';
  // RFC 1034 3.1: a label has at most 63 characters.
  const label = `[A-Za-z0-9]([A-Za-z0-9-]${isBounded ? '*' : '{0,61}'}[A-Za-z0-9])?`;
  // RFC 5322 3.2.3, a dot-atom; RFC 5321 4.5.3.1.1 allows 64 characters.
  const atom = `[A-Za-z0-9!#$%&'*+/=?^_\`{|}~-]${isBounded ? '+' : '{1,64}'}`;
  const labels = (most: number) => `${label}(\\.${label})${isBounded ? '*' : `{0,${most}}`}`;
  const byte = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
  const ipv4 = `${byte}(\\.${byte}){3}`;
  const group = '[0-9a-fA-F]{1,4}';
  const whole = '\\d{1,12}';
  const days = `(${whole}D|${whole}M(${whole}D)?|${whole}Y(${whole}M(${whole}D)?)?)`;
  const hours = `T(${whole}S|${whole}M(${whole}S)?|${whole}H(${whole}M(${whole}S)?)?)`;
  const patterns = new Map<unknown, string>([
    ['date', `^(${date})$`],
    ['time', `^${time}$`],
    ['date-time', `^(${date})[Tt]${time}$`],
    ['duration', `^P(${days}(${hours})?|${hours}|${whole}W)$`],
    ['uuid', '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$'],
    ['email', `^${atom}(\\.${atom})${isBounded ? '*' : '{0,4}'}@${labels(8)}$`],
    ['hostname', `^${labels(9)}$`],
    ['ipv4', `^${ipv4}$`],
    [
      'ipv6',
      `^((${group}:){7}${group}|(${group}:){6}${ipv4}|${shortenedGroups(group)}|${shortenedWithIpv4(group, ipv4)})$`,
    ],
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

/** The last two groups may be written as an IPv4 address (RFC 4291 2.2); `::` then stands for at least one of the six others. */
function shortenedWithIpv4(group: string, ipv4: string): string {
  const upTo = (most: number) => (most === 0 ? '' : `(${group}:){0,${most}}`);
  return [0, 1, 2, 3, 4, 5]
    .map((before) => `${before === 0 ? '' : `${group}(:${group}){${before - 1}}`}::${upTo(5 - before)}${ipv4}`)
    .join('|');
}
