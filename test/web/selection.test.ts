import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nothingSelected, toggled } from '../../web/src/rooms/examples/selection.ts';

const order = ['a', 'b', 'c', 'd', 'e'];
const click = (id: string) => ({ id, isRange: false });
const shift = (id: string) => ({ id, isRange: true });

test('clicks select and deselect rows, and a click with Shift does the same for all rows from the last one on', () => {
  const cases: [ReturnType<typeof click>[], string][] = [
    [[click('b')], 'b'],
    [[click('b'), click('d')], 'bd'],
    [[click('b'), click('b')], ''],
    [[click('b'), shift('d')], 'bcd'],
    [[click('d'), shift('b')], 'bcd'],
    [[click('a'), shift('e'), click('c')], 'abde'],
    [[click('a'), shift('e'), click('b'), shift('d')], 'ae'],
    // Without a row to begin at, or when that is no longer shown.
    [[shift('c')], 'c'],
    [[click('gone'), shift('c')], 'c'],
  ];
  for (const [clicks, expected] of cases) {
    const end = clicks.reduce((now, { id, isRange }) => toggled(now, id, { isRange, order }), nothingSelected);
    assert.equal(order.filter((id) => end.ids.has(id)).join(''), expected, JSON.stringify(clicks));
  }
});
