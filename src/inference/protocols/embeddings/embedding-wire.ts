import type { EmbeddingAnswer, EmbeddingsRequest } from '../../model-request.ts';

/** The body of an embedding response (interface 2.4): the same float32 values in both encodings. */
export function embeddingList(
  { model, encoding }: EmbeddingsRequest,
  { vectors, truncated, promptTokens }: EmbeddingAnswer,
) {
  return {
    object: 'list',
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: encoding === 'base64' ? toBase64(vector) : Array.from(vector),
      ...(truncated[index] ? { truncated: true } : {}),
    })),
    model,
    usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
  };
}

/** float32, little-endian, whatever the machine's own byte order. */
function toBase64(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString('base64');
}
