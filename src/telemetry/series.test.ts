import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Histogram as ClientHistogram, Registry } from 'prom-client';
import { fc } from '#test/properties.ts';
import { createCounter, createGauge, createHistogram } from './series.ts';

test('a counter adds up by label values and writes what scrapers read', () => {
  const counter = createCounter({ name: 'a_total', help: 'As.', labelNames: ['x', 'y'] });
  counter.add(['1', '2']);
  counter.add(['1', '2'], 2.5);
  counter.add(['say "hi"\\', 'two\nlines']);
  assert.equal(
    counter.render(),
    '# HELP a_total As.\n# TYPE a_total counter\na_total{x="1",y="2"} 3.5\na_total{x="say \\"hi\\"\\\\",y="two\\nlines"} 1\n',
  );
});

test('a gauge may go down, and needs no labels', () => {
  const gauge = createGauge({ name: 'g', help: 'G.', labelNames: [] });
  gauge.add([], 2);
  gauge.add([], -3);
  assert.equal(gauge.render(), '# HELP g G.\n# TYPE g gauge\ng -1\n');
});

test('a histogram says what the metrics client says of the same values', async () => {
  const buckets = [0.1, 1, 10];
  const value = fc.oneof(fc.constantFrom(0, 0.1, 1, 10, 11), fc.double({ min: 0, max: 20, noNaN: true }));
  const observed = fc.array(fc.tuple(fc.constantFrom('red', 'blue'), value));
  const linesOf = (text: string) =>
    text
      .split('\n')
      .filter((line) => line.startsWith('h'))
      .sort();
  await fc.assert(
    fc.asyncProperty(observed, async (values) => {
      const registry = new Registry();
      const theirs = new ClientHistogram({ name: 'h', help: 'H.', labelNames: ['c'], buckets, registers: [registry] });
      const ours = createHistogram({ name: 'h', help: 'H.', labelNames: ['c'], buckets });
      for (const [colour, seconds] of values) {
        theirs.observe({ c: colour }, seconds);
        ours.observe([colour], seconds);
      }
      const sorted = (text: string) =>
        linesOf(text)
          .map((line) => line.replace(/\{(.*)\}/, (_, it: string) => `{${it.split(',').sort().join()}}`))
          .sort();
      assert.deepEqual(sorted(ours.render()), sorted(await registry.metrics()));
    }),
    { numRuns: 50 },
  );
});
