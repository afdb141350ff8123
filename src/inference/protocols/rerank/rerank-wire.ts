import type { RerankAnswer, RerankRequest } from '../../model-request.ts';

/** The best results of an answer, the better first; of equals, that of the earlier document. */
export function rerankedResults(
  { documents, topN, returnsDocuments }: RerankRequest,
  { scores }: Pick<RerankAnswer, 'scores'>,
) {
  return scores
    .map((score, index) => ({ index, relevance_score: score }))
    .sort((a, b) => b.relevance_score - a.relevance_score || a.index - b.index)
    .slice(0, topN ?? scores.length)
    .map((result) => (returnsDocuments ? { ...result, document: { text: documents[result.index] ?? '' } } : result));
}

/** The body of an answer in the form of Jina and vLLM. */
export function rerankedList(request: RerankRequest, answer: RerankAnswer) {
  const { id, promptTokens } = answer;
  return {
    id,
    object: 'list',
    model: request.model,
    results: rerankedResults(request, answer),
    usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
  };
}
