import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holdsExact, isExactNumber, parseExactJson } from '../../web/src/api/exact-json.ts';
import { supplyRawJson } from '../../web/src/api/raw-json.ts';
import { contentOf, draftOf } from '../../web/src/rooms/examples/example-draft.ts';
import { readTools } from '../../web/src/rooms/playground/tools.ts';

const tools = '[{"function":{"name":"f","parameters":{"reason":{"const":9007199254740993},"10":[1.0,1e400],"2":{}}}}]';

test('tools that are typed are sent as they were typed', () => {
  assert.equal(JSON.stringify(readTools(tools)), tools);
  assert.equal(JSON.stringify(readTools(JSON.stringify(readTools(tools), null, 2))), tools);
});

test('an example that is edited keeps the digits of numbers and the order of names', () => {
  const content = `{"messages":[{"role":"user","content":"Hi"}],"tools":${tools}}`;
  // as: what the server answers with.
  const text = parseExactJson(content) as NonNullable<Parameters<typeof draftOf>[0]['text']>;
  const draft = draftOf({ text, embedding: null, split: 'test' });
  assert.equal(JSON.stringify(contentOf(draft).text), content);
});

test('a copy would lose long numbers and names that are numbers, and nothing else', () => {
  for (const text of ['9007199254740993', '[[1.0]]', '{"a":{"b":[1e400]}}', '{"b":1,"0":2}', '[{"10":1}]'])
    assert.equal(holdsExact(parseExactJson(text)), true, text);
  for (const text of ['1', '"10"', 'null', '{"a":[1,{"01":"9007199254740993"}],"1a":0.5}'])
    assert.equal(holdsExact(parseExactJson(text)), false, text);
});

test('a browser that cannot keep the digits itself is helped', () => {
  const { rawJSON, isRawJSON, stringify } = JSON;
  try {
    Reflect.deleteProperty(JSON, 'rawJSON');
    Reflect.deleteProperty(JSON, 'isRawJSON');
    supplyRawJson();
    const value = parseExactJson(tools);
    assert.equal(JSON.stringify(value), tools);
    assert.equal(JSON.stringify(parseExactJson(JSON.stringify(value, null, 2))), tools);
    assert.ok(isExactNumber(parseExactJson('1.0')) && !isExactNumber({ rawJSON: '1.0' }));
    assert.equal(JSON.stringify('number 1 '), '"number 1 "');
    assert.equal(JSON.stringify(undefined), undefined);
  } finally {
    Object.assign(JSON, { rawJSON, isRawJSON, stringify });
  }
});
