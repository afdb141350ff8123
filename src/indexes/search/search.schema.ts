import Type, { type Static } from 'typebox';
import { creditsText, nullable, said } from '#http';
import { formatCredits, type Micro } from '#kernel';
import type { Spent } from '../paid-run.ts';
import type { SearchResult } from './search-index.ts';

export const searchBody = Type.Object({
  query: Type.String({
    ...said('What is searched for. It gets the query instruction of the model.', '查询文本，会加上模型的查询指令。'),
    minLength: 1,
    maxLength: 32_000,
  }),
  top_k: Type.Optional(
    Type.Integer({ ...said('Results at most.', '最多返回的结果数。'), minimum: 1, maximum: 50, default: 10 }),
  ),
});

export const usageSchema = Type.Object(
  {
    prompt_tokens: Type.Integer({ ...said('Tokens of the texts.', '文本的词元数。'), minimum: 0 }),
    total_tokens: Type.Integer({ ...said('The same.', '同上。'), minimum: 0 }),
  },
  said('Tokens that were embedded.', '嵌入的词元数。'),
);

export const documentId = nullable(Type.String(), said('Your name for the document.', '调用方自己的文档标识。'));
export const score = Type.Number(said('Cosine of query and text.', '查询与文本的余弦相似度。'));

export const foundSchema = Type.Object({
  results: Type.Array(
    Type.Object({
      rank: Type.Integer({ ...said('1 for the nearest.', '1 表示最接近。'), minimum: 1 }),
      document_id: documentId,
      text: Type.String(said('The text.', '文本内容。')),
      score,
    }),
    said('The nearest of all documents, compared one by one.', '与全部文档逐一比较后最接近的结果。'),
  ),
  model_revision: nullable(Type.Integer(), said('As of the index.', '与索引的修订号相同。')),
  usage: usageSchema,
  credits: creditsText(said('What this search cost.', '本次检索所扣的积分。')),
});

export function foundToWire(
  results: readonly SearchResult[],
  { modelRevision, spent, micro }: { modelRevision: number | null; spent: Spent; micro: Micro },
): Static<typeof foundSchema> {
  return {
    results: results.map(({ rank, documentId: id, text, score: cosine }) => ({
      rank,
      document_id: id,
      text,
      score: cosine,
    })),
    model_revision: modelRevision,
    usage: usageToWire(spent),
    credits: formatCredits(micro),
  };
}

export function usageToWire({ promptTokens }: Spent): Static<typeof usageSchema> {
  return { prompt_tokens: promptTokens, total_tokens: promptTokens };
}
