import type { NativeContext, Token } from './binding.ts';
import type { Generation } from './generation.ts';
import type { StepTime } from './step-time.ts';

/** A place in a batch from which a request draws its next token. */
export type Output = { generation: Generation; batchIndex: number };

/** No token fits. */
export const noToken: Token = -1;

/** How long it takes is the request's own time. A sampler fails where the grammar allows no token. */
export async function draw(context: NativeContext, { generation, batchIndex }: Output, time: StepTime): Promise<Token> {
  try {
    return await context.sampleToken(batchIndex, generation.sampler.native);
  } catch {
    return noToken;
  } finally {
    time.ownOf(generation.id);
  }
}
