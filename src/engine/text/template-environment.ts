import { Environment } from '@huggingface/jinja';
import { stripFunctions } from './template-strip.ts';
import { setVariable } from './template-values.ts';

/** A template's own refusal (`raise_exception`): its text is meant for the caller. */
export class TemplateRefusal extends Error {}

/**
 * The names that chat templates expect of their host. The library would bring the same ones, but its date follows the
 * machine's clock and language; here the date is a parameter, in English and UTC.
 */
export function templateEnvironment(values: Record<string, unknown>, now: () => Date): Environment {
  const environment = new Environment();
  const globals = {
    true: true,
    false: false,
    none: null,
    True: true,
    False: false,
    None: null,
    range,
    raise_exception: (message: unknown) => {
      throw new TemplateRefusal(String(message));
    },
    ...stripFunctions,
    strftime_now: (format: unknown) => formatDate(now(), String(format)),
    ...values,
  };
  for (const [name, value] of Object.entries(globals)) setVariable(environment, name, value);
  return environment;
}

/** Python's range, bounded: no template counts further than this. */
function range(first: number, second?: number, step = 1): number[] {
  const [start, stop] = second === undefined ? [0, first] : [first, second];
  const length = Math.max(0, Math.ceil((stop - start) / step));
  if (!(length <= 100_000)) throw new Error(`range(${start}, ${stop}, ${step}) is too long`);
  return Array.from({ length }, (_, index) => start + index * step);
}

/** The directives of Python's strftime that chat templates use. */
function formatDate(date: Date, format: string): string {
  const part = (options: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat('en-US', { ...options, timeZone: 'UTC' }).format(date);
  const two = (value: number): string => String(value).padStart(2, '0');
  const parts = new Map<string, () => string>([
    ['Y', () => String(date.getUTCFullYear())],
    ['m', () => two(date.getUTCMonth() + 1)],
    ['d', () => two(date.getUTCDate())],
    ['H', () => two(date.getUTCHours())],
    ['M', () => two(date.getUTCMinutes())],
    ['S', () => two(date.getUTCSeconds())],
    ['B', () => part({ month: 'long' })],
    ['b', () => part({ month: 'short' })],
    ['A', () => part({ weekday: 'long' })],
    ['a', () => part({ weekday: 'short' })],
    ['%', () => '%'],
  ]);
  return format.replace(/%([a-zA-Z%])/g, (whole, directive: string) => parts.get(directive)?.() ?? whole);
}
