import { type EngineDialect, templateReasoning } from '../dialect.ts';
import { samplingNames } from '../wire.ts';
import { openai } from './openai.ts';

/** `lmdeploy serve api_server`, by the source of LMDeploy 0.18.0. */
export const lmdeploy: EngineDialect = {
  ...openai,
  // It lists its models also while the engine behind them is dead.
  healthPath: '//health',
  closesAfterStream: false,
  samplingNames,
  // It refuses a `reasoning_effort` of `none` with 400.
  reasoningFields: templateReasoning,
  rerankRequest: null,
  answer: { reasoning: ['reasoning_content'], stopText: [] },
  errors: {
    contextExceeded: /input length .* must be smaller than the model context length|exceeds the model context length/i,
    modelMissing: /\bmodel\b.* does not exist/i,
    modelLoading: /is sleeping|not initialized/i,
  },
};
