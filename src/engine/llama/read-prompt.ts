import { fault } from '#kernel';
import type { ChatPrompt } from '../port.ts';
import { type ChatTemplate, compileChatTemplate, renderChat, type Segment } from '../text/template.ts';
import type { NativeModel } from './binding.ts';
import type { PromptFacts } from './generation.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A rendered and tokenised prompt, wherever that was done. */
export type ReadChat = Omit<PromptFacts, 'constraint' | 'calls'>;
/** Texts to embed as tokens; `report` has what became of each. */
export type ReadInputs = { inputs: Uint32Array[]; report: { tokens: number; truncated: boolean }[] };

/** Compiled at the first call. It throws `invalid_request` where the model cannot chat. */
export function templateOf(
  { facts }: Pick<NativeModel, 'facts'>,
  { controlTexts: controlTokens, bosText: bosToken, eosText: eosToken }: Vocabulary,
  now: () => Date,
): () => ChatTemplate {
  let template: ChatTemplate | null = null;
  return () => {
    const source = facts.chatTemplate;
    if (source === null)
      throw fault('invalid_request', { param: 'model', message: 'This model has no chat template.' });
    template ??= compileChatTemplate({ source, controlTokens, bosToken, eosToken, now });
    return template;
  };
}

export function readChat(
  template: ChatTemplate,
  prompt: ChatPrompt,
  tokenize: (segments: readonly Segment[]) => Uint32Array,
): ReadChat {
  const { segments, reasons, startsInReasoning, thinkingDisabled } = renderChat(template, prompt);
  return { tokens: tokenize(segments), reasons, startsInReasoning, thinkingDisabled };
}
