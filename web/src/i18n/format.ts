import { type Language, useLanguage } from './language.tsx';

const tags: Record<Language, string> = { en: 'en', zh: 'zh-CN' };

export type Format = ReturnType<typeof createFormat>;

/** Numbers, credits and times in the conventions of a language and the time zone of the reader. */
function createFormat(language: Language) {
  const tag = tags[language];
  const integer = once(() => new Intl.NumberFormat(tag, { maximumFractionDigits: 0 }));
  const short = once(() => new Intl.NumberFormat(tag, { notation: 'compact', maximumFractionDigits: 1 }));
  const percent = once(() => new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: 1 }));
  const fewDecimals = once(() => new Intl.NumberFormat(tag, { minimumFractionDigits: 2, maximumFractionDigits: 2 }));
  const manyDecimals = once(() => new Intl.NumberFormat(tag, { minimumFractionDigits: 2, maximumFractionDigits: 6 }));
  const significant = once(() => new Intl.NumberFormat(tag, { notation: 'compact', maximumSignificantDigits: 3 }));
  const date = once(() => new Intl.DateTimeFormat(tag, { dateStyle: 'medium' }));
  const dateTime = once(() => new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'medium' }));
  const minute = once(() => new Intl.DateTimeFormat(tag, { hour: '2-digit', minute: '2-digit' }));
  const dayUtc = once(() => new Intl.DateTimeFormat(tag, { month: 'short', day: 'numeric', timeZone: 'UTC' }));
  const relative = once(() => new Intl.RelativeTimeFormat(tag, { numeric: 'auto' }));
  const list = once(() => new Intl.ListFormat(tag));
  return {
    number: (value: number) => integer().format(value),
    shortNumber: (value: number) => (value < 10_000 ? integer().format(value) : short().format(value)),
    percent: (part: number) => percent().format(part),
    /** Small amounts keep more decimals. */
    credits: (text: string) => {
      const value = Number(text);
      if (value === 0) return integer().format(0);
      return Math.abs(value) >= 1 ? fewDecimals().format(value) : manyDecimals().format(value);
    },
    /** Of an axis: the fewest digits that tell the ticks apart. */
    shortAmount: (value: number) => significant().format(value),
    /** All six decimals: only for columns of amounts that are compared or added up. */
    exactCredits: (text: string) =>
      new Intl.NumberFormat(tag, { minimumFractionDigits: 6, maximumFractionDigits: 6 }).format(Number(text)),
    date: (at: string | Date) => date().format(new Date(at)),
    dateTime: (at: string | Date) => dateTime().format(new Date(at)),
    hour: (at: string | Date) => minute().format(new Date(at)),
    dayUtc: (at: string | Date) => dayUtc().format(new Date(at)),
    ago: (at: string | Date, nowMs: number) => agoIn(relative(), new Date(at).getTime() - nowMs),
    duration: (ms: number) => durationIn(tag, ms),
    /** Waiting times are rounded up to whole minutes. */
    wait: (seconds: number) => durationIn(tag, seconds > 60 ? Math.ceil(seconds / 60) * 60_000 : seconds * 1_000),
    list: (parts: readonly string[]) => list().format(parts),
  };
}

/** Intl formats are expensive to create, so each is created when it is first needed. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

const units: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_557_600_000],
  ['month', 2_629_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

function agoIn(format: Intl.RelativeTimeFormat, ms: number): string {
  const [unit, size] = units.find(([, length]) => Math.abs(ms) >= length) ?? (['second', 1_000] as const);
  // Less than a minute is "now": seconds would flicker.
  return unit === 'second' ? format.format(0, 'second') : format.format(Math.trunc(ms / size), unit);
}

function durationIn(tag: string, ms: number): string {
  const [unit, size] = (
    [
      ['hour', 3_600_000],
      ['minute', 60_000],
      ['second', 1_000],
    ] as const
  ).find(([, length]) => ms >= length) ?? ['millisecond', 1];
  const digits = unit === 'millisecond' || ms / size >= 100 ? 0 : 1;
  return new Intl.NumberFormat(tag, {
    style: 'unit',
    unit,
    unitDisplay: 'short',
    maximumFractionDigits: digits,
  })
    .format(ms / size)
    .replace(/ /g, '\u00a0');
}

const formats: Readonly<Record<Language, Format>> = { en: createFormat('en'), zh: createFormat('zh') };

export function useFormat(): Format {
  return formats[useLanguage().language];
}

/**
 * The first Intl format takes longest, because the browser loads its tables: created while the page waits for
 * something else.
 */
export function warmFormats(language: Language): void {
  formats[language].number(0);
}
