import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#test/properties.ts';
import { type Grain, partsOf, type Span } from './span.ts';

const at = (text: string) => new Date(`2026-${text}Z`);
const day = (text: string | null) => (text === null ? null : at(text));
const span = (since: string | null, until: string | null): Span => ({ since: day(since), until: day(until) });
const all: Grain[] = ['hour', 'day', 'ever'];

test('a span without bounds is one sum, or all days when each is told', () => {
  assert.deepEqual(partsOf(span(null, null), all), {
    summed: [{ grain: 'ever', since: null, until: null }],
    edges: [],
  });
  assert.deepEqual(partsOf(span(null, null), ['day']), {
    summed: [{ grain: 'day', since: null, until: null }],
    edges: [],
  });
});

test('days stand in the middle, hours around them, and minutes at the ends', () => {
  const long = span('03-01T21:30:00', '03-04T02:00:00.001');
  const days = { grain: 'day', since: at('03-02T00:00:00'), until: at('03-04T00:00:00') };
  assert.deepEqual(partsOf(long, all), {
    summed: [
      { grain: 'hour', since: at('03-01T22:00:00'), until: at('03-02T00:00:00') },
      days,
      { grain: 'hour', since: at('03-04T00:00:00'), until: at('03-04T02:00:00') },
    ],
    edges: [
      { since: at('03-01T21:30:00'), until: at('03-01T22:00:00'), weight: 1 },
      { since: at('03-04T02:00:00'), until: at('03-04T02:00:00.001'), weight: 1 },
    ],
  });
  assert.deepEqual(partsOf(long, ['day']), {
    summed: [days],
    edges: [
      { since: at('03-01T21:30:00'), until: at('03-02T00:00:00'), weight: 1 },
      { since: at('03-04T00:00:00'), until: at('03-04T02:00:00.001'), weight: 1 },
    ],
  });
});

test('of a day that is in the span for the most part, the rest is taken off', () => {
  assert.deepEqual(partsOf(span('03-01T02:00:00', '03-04T20:00:00'), ['day']), {
    summed: [{ grain: 'day', since: at('03-01T00:00:00'), until: at('03-05T00:00:00') }],
    edges: [
      { since: at('03-01T00:00:00'), until: at('03-01T02:00:00'), weight: -1 },
      { since: at('03-04T20:00:00'), until: at('03-05T00:00:00'), weight: -1 },
    ],
  });
});

test('the parts cover every time of the span once, and nothing else', () => {
  const instant = fc
    .integer({ min: -200, max: 200 })
    .map((quarters) => new Date(Date.UTC(2026, 2, 3) + quarters * 900_000));
  const bound = fc.option(instant);
  const some = fc.constantFrom<Grain[]>(['hour'], ['day'], ['hour', 'day'], all);
  fc.assert(
    fc.property(bound, bound, fc.array(instant, { minLength: 20 }), some, (since, until, times, grains) => {
      const { summed, edges } = partsOf({ since, until }, grains);
      const isIn = (time: Date, part: Span) =>
        (!part.since || time >= part.since) && (!part.until || time < part.until);
      const parts = [...summed.map((part) => ({ ...part, weight: 1 })), ...edges];
      for (const time of times)
        assert.equal(
          parts.reduce((sum, part) => (isIn(time, part) ? sum + part.weight : sum), 0),
          isIn(time, { since, until }) ? 1 : 0,
        );
      const stepMs = grains.includes('hour') ? 3_600_000 : 86_400_000;
      for (const { since: from, until: to } of edges) assert.ok(to.getTime() - from.getTime() < 2 * stepMs);
      for (const { grain, since: from, until: to } of summed) {
        assert.ok(grains.includes(grain));
        for (const border of [from, to])
          if (border) assert.equal(border.getTime() % (grain === 'day' ? 86_400_000 : 3_600_000), 0);
      }
    }),
  );
});
