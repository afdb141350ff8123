import assert from 'node:assert/strict';
import { test } from 'node:test';
import { latinWords } from './latin-words.ts';

test('Latin letters of any language are spelled in ASCII, and none is lost', () => {
  const cases = {
    Größe: 'grosse',
    'STRAẞE 7': 'strasse-7',
    'Ærø & Øresund': 'aero-oresund',
    Œuvre: 'oeuvre',
    Łódź: 'lodz',
    Đà_Nẵng: 'da-nang',
    Þórður: 'thordur',
    'Işık İzmir': 'isik-izmir',
    '灯 lamp': '-lamp',
  };
  for (const [text, words] of Object.entries(cases)) assert.equal(latinWords(text), words);
});
