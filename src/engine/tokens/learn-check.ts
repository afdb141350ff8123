import type { ChatMessage } from '../port.ts';
import type { ChatTemplate } from '../text/template.ts';
import type { CountableConversation } from './counter-protocol.ts';
import { learntTurns, NotLearnable, renderLearnt } from './learnt-turns.ts';
import { type HoldsWord, templateWords } from './template-words.ts';

/** Why a conversation cannot be learnt; null: nothing stands in the way, as far as texts tell without a tokeniser. */
export type LearnCheck = (conversation: CountableConversation) => string | null;

const mostForms = 1_000;
/** Each turn is rendered with all that stands before it: of very long conversations the first turns are checked. */
const mostChars = 400_000;

/**
 * Checks conversations as their training would, before there is a job. Nearly all conversations of a file have one of a few forms,
 * so a form that can be learnt is not rendered again, unless a text holds something that the template looks for.
 */
export function createLearnCheck(template: () => ChatTemplate): LearnCheck {
  const fine = new Set<string>();
  let holdsWord: HoldsWord | null = null;
  return (conversation) => {
    holdsWord ??= templateWords(template().source);
    const form = formOf(conversation, holdsWord);
    if (form !== null && fine.has(form)) return null;
    const problem = problemOf(template(), conversation);
    if (problem !== null || form === null) return problem;
    if (fine.size >= mostForms) fine.clear();
    fine.add(form);
    return null;
  };
}

function problemOf(template: ChatTemplate, conversation: CountableConversation): string | null {
  let chars = 0;
  try {
    for (const turn of learntTurns(conversation)) {
      const { prompt, written } = renderLearnt(template, turn);
      for (const { text } of [...prompt, ...written]) chars += text.length;
      if (chars > mostChars) break;
    }
    return null;
  } catch (error) {
    if (error instanceof NotLearnable) return error.message;
    throw error;
  }
}

/** All that a template can see of a conversation beside the texts themselves; null: a text may change what it does. */
function formOf({ messages, tools, seenOnly = [] }: CountableConversation, holdsWord: HoldsWord): string | null {
  const texts = messages.flatMap(textsOf);
  if (texts.some(holdsWord)) return null;
  const forms = messages.map((message) => `${message.role}${textsOf(message).map(edges).join('')}`);
  return `${forms.join(' ')} ${tools.length > 0} ${seenOnly.join(' ')}`;
}

function textsOf(message: ChatMessage): string[] {
  if (message.role !== 'assistant') return [message.content];
  return [message.content, message.reasoning ?? none, ...message.toolCalls.map(({ name }) => name)];
}

const none = '\0';

/** Templates ask whether a text is there or empty, and cut blanks at its ends. */
function edges(text: string): number {
  if (text === none) return 3;
  if (text === '') return 0;
  return text.trim() === text ? 1 : 2;
}
