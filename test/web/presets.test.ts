import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#test/properties.ts';
import { areFitting, isFitting, type JobFields, type Ranges } from '../../web/src/rooms/training/new-job-fields.ts';
import { presetFields, presetOf, presets } from '../../web/src/rooms/training/presets.ts';

const untouched: JobFields = {
  name: '',
  base_model: 'base',
  dataset_id: 'ds',
  dataset_version_id: '',
  settings: {},
  test_ratio: '',
  every_steps: '',
  early_stopping_patience: '',
  control: '',
  replay: '',
  alias: '',
  activate: false,
};

const scaledNames = ['epochs', 'lora_rank', 'lora_alpha'] as const;

/** What a base model allows of a setting. */
const range = fc
  .tuple(fc.integer({ min: 1, max: 512 }), fc.integer({ min: 1, max: 512 }), fc.integer({ min: 1, max: 512 }))
  .map((numbers) => numbers.toSorted((a, b) => a - b))
  .map(([min = 1, normal = 1, max = 1]) => ({ default: normal, min, max, step: 1 }));
const ranges: fc.Arbitrary<Ranges> = fc.record(
  { epochs: range, lora_rank: range, lora_alpha: range, batch_size: range },
  { requiredKeys: [] },
);
const preset = fc.constantFrom(...presets);

test('the settings of a preset are allowed for every base model', () => {
  fc.assert(
    fc.property(ranges, preset, (allowed, name) => {
      const fields = { ...untouched, ...presetFields(name, allowed) };
      assert.ok(areFitting(fields, allowed));
      for (const key of Object.keys(fields.settings)) assert.ok(Object.hasOwn(allowed, key), key);
    }),
  );
});

test('a thorough training takes no less of anything than a balanced one, and a quick one no more', () => {
  fc.assert(
    fc.property(ranges, (allowed) => {
      const valueIn = (name: (typeof presets)[number], key: (typeof scaledNames)[number]) =>
        Number(presetFields(name, allowed).settings[key] ?? allowed[key]?.default ?? 0);
      for (const key of scaledNames) {
        assert.ok(valueIn('quick', key) <= valueIn('balanced', key));
        assert.ok(valueIn('balanced', key) <= valueIn('thorough', key));
      }
    }),
  );
});

test('a chosen preset is shown as chosen, whatever the base model', () => {
  fc.assert(
    fc.property(ranges, preset, (allowed, name) => {
      const shown = presetOf({ ...untouched, ...presetFields(name, allowed) }, allowed);
      assert.ok(shown !== undefined);
      assert.deepEqual(presetFields(shown, allowed), presetFields(name, allowed));
    }),
  );
  assert.equal(presetOf(untouched, {}), 'balanced');
});

test('a setting that no preset has makes the settings those of the user', () => {
  fc.assert(
    fc.property(ranges, preset, (allowed, name) => {
      const { settings, ...rest } = presetFields(name, allowed);
      const changed = { ...untouched, ...rest, settings: { ...settings, learning_rate: '0.001' } };
      assert.equal(presetOf(changed, allowed), undefined);
    }),
  );
});

test('an empty field fits, a number outside of its range or between its steps does not', () => {
  fc.assert(
    fc.property(range, fc.double({ min: -1_000, max: 1_000, noNaN: true }), (allowed, value) => {
      const isAllowed = Number.isInteger(value) && value >= allowed.min && value <= allowed.max;
      assert.equal(isFitting(String(value), allowed), isAllowed);
      assert.ok(isFitting('  ', allowed));
    }),
  );
});
