import assert from 'node:assert/strict';
import { test } from 'node:test';
import { vocabularyTypes } from './addon.ts';
import type { NativeModel } from './binding.ts';
import { inputFrame, rerankFrame } from './input-frame.ts';

type Flags = {
  type: keyof typeof vocabularyTypes;
  bos?: boolean;
  eos?: boolean;
  eosToken?: number;
  separator?: boolean;
};

/** A vocabulary whose tokens are letters, with start 1, end 2 and separator 3. */
function modelWith({ type, bos = false, eos = false, eosToken = 2, separator }: Flags) {
  const addon = {
    getVocabularyType: () => vocabularyTypes[type],
    shouldPrependBosToken: () => bos,
    shouldAppendEosToken: () => eos,
    tokenBos: () => 1,
    tokenEos: () => eosToken,
    sepToken: () => 3,
    tokenize: (text: string) => Uint32Array.from(text, (letter) => letter.charCodeAt(0)),
  };
  const rerank = { template: null, addsSeparator: separator ?? null, isScoreNormalised: false };
  // as: what frames need of a model.
  return { addon, facts: { rerank, preTokenizer: null } } as unknown as Pick<NativeModel, 'addon' | 'facts'>;
}

const [a, b] = ['a', 'b'].map((letter) => letter.charCodeAt(0));

test('a text has the start and end tokens that its file asks for; WordPiece always has its own', () => {
  const cases: [Flags, (number | undefined)[]][] = [
    [{ type: 'bytePair' }, [a]],
    [{ type: 'bytePair', bos: true, eos: true }, [1, a, 2]],
    [{ type: 'unigram', bos: true, eos: true }, [1, a, 2]],
    [{ type: 'unigram', eos: true }, [a, 2]],
    [{ type: 'wordPiece', eosToken: -1 }, [1, a, 3]],
  ];
  for (const [flags, tokens] of cases)
    assert.deepEqual([...inputFrame(modelWith(flags)).tokenize('a')], tokens, JSON.stringify(flags));
});

test('a pair is put together as llama.cpp does it: XLM-RoBERTa has an end and a separator, BERT one separator', () => {
  const cases: [Flags, (number | undefined)[]][] = [
    [{ type: 'unigram', bos: true, eos: true, separator: true }, [1, a, 2, 3, b, 2]],
    [{ type: 'unigram', bos: true, eos: true }, [1, a, 2, b, 2]],
    [{ type: 'bytePair', bos: true, eos: true, separator: false }, [1, a, 2, b, 2]],
    [{ type: 'wordPiece', eosToken: -1 }, [1, a, 3, b, 3]],
    [{ type: 'wordPiece', eos: true, eosToken: 3, separator: false }, [1, a, 3, b, 3]],
  ];
  for (const [flags, tokens] of cases)
    assert.deepEqual([...rerankFrame(modelWith(flags), [], 'a').tokenize('b')], tokens, JSON.stringify(flags));
});
