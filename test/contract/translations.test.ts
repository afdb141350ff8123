import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createPublication, type RegisteredRoute } from '#http';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { faultTexts } from '../../src/http/openapi/fault-texts.ts';
import { introduction } from '../../src/http/openapi/introduction.ts';
import { catalogues, translationOf } from '../../src/http/openapi/localize.ts';
import { tags } from '../../src/http/openapi/tags.ts';
import { type LocatedText, textsOf } from './texts.ts';

/** The English texts of the contract and their translations. */
let database: TestDatabase;
let app: TestApp;
let rows: readonly RegisteredRoute[];

before(async () => {
  database = await createTestDatabase();
  app = await startApp(database.database);
  rows = app.server.routeTable.rows.filter(({ method, contract }) => method !== 'HEAD' && contract !== null);
});

after(async () => {
  await app?.stop();
  await database?.drop();
});

const han = /\p{Script=Han}/u;

/** Texts as the code has them, before they are put together in a document. */
const sourceTexts = (): LocatedText[] => [
  ...rows.flatMap(({ operation, contract, schema, envelope }) => [
    ...textsOf(contract, operation),
    ...textsOf(schema, operation),
    ...textsOf(envelope.schema, envelope.name),
  ]),
  ...textsOf(faultTexts, 'fault-texts.ts'),
  ...textsOf(tags, 'tags.ts'),
  ...textsOf(introduction, 'introduction.ts'),
];

const documentTexts = (language: 'en' | 'zh') =>
  textsOf(createPublication(app.server.routeTable.rows).document(language), language);

for (const [language, catalogue] of Object.entries(catalogues)) {
  test(`every text of the contract has a translation: ${language}`, () => {
    const texts = sourceTexts();
    assert.ok(texts.length > 200);
    assert.deepEqual(
      texts.filter(({ text }) => han.test(text) || translationOf(text, catalogue) === null),
      [],
    );
  });

  test(`no translation is unused: ${language}`, () => {
    const used = new Set(
      [...sourceTexts(), ...documentTexts('en')].flatMap(({ text }) => translationOf(text, catalogue)?.keys ?? []),
    );
    assert.deepEqual(
      Object.keys(catalogue).filter((key) => !used.has(key)),
      [],
    );
  });

  test(`a translation has the placeholders of its text, and the catalogue is sorted: ${language}`, () => {
    const placeholders = (text: string) => [...text.matchAll(/%\{\w+\}/g)].map(String).toSorted();
    for (const [text, translation] of Object.entries(catalogue))
      assert.deepEqual(placeholders(translation), placeholders(text), text);
    assert.deepEqual(Object.keys(catalogue), Object.keys(catalogue).toSorted());
  });
}

test('no English is left in the Chinese document', () => {
  // A name of ours is the same in every language.
  assert.deepEqual(
    documentTexts('zh').filter(({ text }) => !han.test(text) && text !== 'Fanfold API'),
    [],
  );
});
