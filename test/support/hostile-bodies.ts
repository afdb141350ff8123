import words from './hostile-words.json' with { type: 'json' };
import type { Random } from './random.ts';

/** A body made to be misread: the good one with a field changed, another text, bytes that are no text, or a bomb. */
export function hostileBody(random: Random, good: Record<string, unknown>): string {
  const kind = random.integer(100);
  if (kind < 50) return changedField(random, good);
  if (kind < 65) return random.pick(words.bodies);
  if (kind < 75) return spliced(random, JSON.stringify(good), random.pick(words.bytes));
  if (kind < 85) return JSON.stringify(good).slice(0, random.integer(JSON.stringify(good).length + 1));
  if (kind < 97) return bomb(random, 200 + random.integer(3_000));
  return bomb(random, 200_000);
}

function changedField(random: Random, good: Record<string, unknown>): string {
  const fields = Object.entries(good).map(([key, value]) => [JSON.stringify(key), JSON.stringify(value)]);
  const names = [...fields.map(([key = '']) => key), '"extra"', '"__proto__"', '"\\u0000"', '"\\ud800"', '""'];
  const name = names[random.integer(names.length)] ?? '""';
  const kept = random.chance(0.9) ? fields.filter(([key]) => key !== name) : fields;
  const changed = [...kept, [name, random.pick(words.values)]];
  return `{${changed.map(([key, value]) => `${key}:${value}`).join(',')}}`;
}

function spliced(random: Random, text: string, piece: string): string {
  const at = random.integer(text.length + 1);
  return text.slice(0, at) + piece + text.slice(at);
}

function bomb(random: Random, size: number): string {
  return random.pick<() => string>([
    () => '['.repeat(size),
    () => `{"a":${'['.repeat(size)}${']'.repeat(size)}}`,
    () => `${'{"a":'.repeat(size / 5)}1${'}'.repeat(size / 5)}`,
    () => `{${Array.from({ length: size / 8 }, (_, i) => `"k${i}":1`).join(',')}}`,
    () => `{${'"a":1,'.repeat(size / 6)}"a":2}`,
    () => `{"a":[${'1,'.repeat(size / 2)}1]}`,
    () => `{"a":${'9'.repeat(size)}}`,
    () => `{"name":"${'x'.repeat(size)}"}`,
    () => `{"name":"${'\\u0041'.repeat(size / 6)}"}`,
    () => '"'.repeat(size),
    () => ' '.repeat(size),
  ])();
}
