import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { columnKey, searchNames, turnNames } from './column-names.ts';
import { detectShape } from './detect-shape.ts';

const turnsOf = (...columns: string[]) =>
  detectShape('text', [Object.fromEntries(columns.map((column) => [column, 'x']))]);
const pairOf = (...columns: string[]) =>
  detectShape('embedding', [Object.fromEntries(columns.map((column) => [column, 'x']))]);

describe('what asks and what answers is recognised', () => {
  const pairs = [
    ['question', 'answer'],
    ['Frage', 'Antwort'],
    ['Pregunta', 'Respuesta'],
    ['Question posée', 'Réponse'],
    ['问题', '回答'],
    ['customer', 'agent'],
    ['Customer Message', 'Agent-Reply'],
    ['Kunde', 'Mitarbeiter'],
    ['prompt', 'completion'],
    ['instruction', 'output'],
    ['Instructions', 'Expected Output'],
    ['input', 'response'],
    ['input_text', 'outputText'],
    ['user', 'assistant'],
    ['user_message', 'bot_response'],
    // Of different pairs.
    ['frage', 'response'],
    ['customer', 'support'],
    ['prompt', 'answer'],
    ['question', 'completion'],
    // Names of several words, and of other languages.
    ['Q:', 'A:'],
    ['Kundenfrage', 'Antwort Support'],
    ['Frage des Kunden', 'Antwort des Mitarbeiters'],
    ['Kunde fragt', 'Wir antworten'],
    ['Customer Inquiry', 'Agent Response'],
    ['Pregunta del cliente', 'Respuesta del agente'],
    ['Question du client', 'Réponse'],
    ['Frage (Text)', 'Antwort (Text)'],
    ['question_en', 'answer_en'],
    ['customerQuestion', 'ourAnswer'],
    ['Ticket Description', 'Resolution'],
    ['User Query', 'Bot Reply'],
    ['客户问题', '客服回答'],
    ['Вопрос', 'Ответ'],
    ['Pytanie', 'Odpowiedź'],
    ['Soru', 'Cevap'],
    ['Fråga', 'Svar'],
    ['질문', '답변'],
    ['السؤال', 'الجواب'],
    ['सवाल', 'जवाब'],
    ['Câu hỏi', 'Câu trả lời'],
  ] as const;
  for (const [user, assistant] of pairs)
    test(`${user}; ${assistant}`, () => {
      for (const columns of [
        ['id', user, assistant],
        [assistant, user, 'date'],
      ])
        assert.deepEqual(turnsOf(...columns).mapping, { user, assistant });
    });

  const searches = [
    ['query', 'positive'],
    ['query', 'document'],
    ['Search Term', 'Document'],
    ['Suchanfrage', 'Treffer'],
    ['frage', 'antwort'],
    ['Sentence-A', 'Sentence-B'],
  ] as const;
  for (const [query, positive] of searches)
    test(`a search: ${query}; ${positive}`, () => {
      assert.deepEqual(pairOf('id', positive, query), { shape: 'pair', mapping: { query, positive } });
    });

  test('a hard negative is one however it is written', () => {
    const mapping = { query: 'Query', positive: 'Positive Passage', negative: 'Hard-Negative' };
    assert.deepEqual(pairOf('Query', 'Positive Passage', 'Hard-Negative'), { shape: 'triplet', mapping });
  });
});

test('names that belong together win over others that also ask or answer', () => {
  assert.deepEqual(turnsOf('message', 'question', 'answer', 'agent').mapping, {
    user: 'question',
    assistant: 'answer',
  });
  assert.deepEqual(turnsOf('question', 'customer', 'agent').mapping, { user: 'customer', assistant: 'agent' });
});

test('names that only ask, or only answer, suggest nothing', () => {
  for (const columns of [['question', 'frage'], ['answer', 'antwort'], ['name', 'date'], ['id']].concat([
    // What is about a question or an answer is none, and of two questions it is not clear which one is answered.
    ['question_id', 'answer_count'],
    ['Question type', 'Answer date'],
    ['customer_name', 'agent_id'],
    ['first question', 'second question', 'the answer'],
  ]))
    assert.deepEqual(turnsOf(...columns), { shape: 'unknown', mapping: null });
});

test('no name both asks and answers, so that no column is used twice', () => {
  const asks = new Set(turnNames.flatMap((names) => names.asks).map(columnKey));
  const answers = turnNames.flatMap((names) => names.answers).map(columnKey);
  assert.deepEqual(
    answers.filter((name) => asks.has(name)),
    [],
  );
  const [query, positive, negative] = [searchNames.query, searchNames.positive, searchNames.negative].map(
    (names) => new Set(names.map(columnKey)),
  );
  assert.ok(query && positive && negative);
  assert.ok(query.isDisjointFrom(positive) && query.isDisjointFrom(negative) && positive.isDisjointFrom(negative));
});
