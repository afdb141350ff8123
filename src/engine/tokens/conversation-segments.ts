import type { ChatMessage } from '../port.ts';
import { type ChatTemplate, type Conversation, renderConversation, type Segment } from '../text/template.ts';

/** A segment of a prompt, whose text are these parts one behind the other. */
export type DividedText = {
  special: boolean;
  parts: readonly string[];
  /** Its tokens, where its text comes again and again; `NaN`: not counted so far. Null: this text stands here only. */
  known: { tokens: number } | null;
};

/** A whole conversation as its template writes it, divided as a prompt is. */
export type ConversationSegments = (conversation: Conversation) => readonly DividedText[];

/** Texts of the conversation stand at these places of the template's own text. */
type Hole = number;
type Shape = ({ special: boolean; pieces: (string | Hole)[] } & DividedText)[];

const mostShapes = 1_000;

/**
 * Renders conversations. Most templates write plain messages as they are, and what they put around them depends on the
 * roles alone; so one rendering serves all conversations of the same roles. It is used only where that is certain: the
 * template wrote two very different fillings in the same way, and the texts hold nothing that it looks for.
 */
export function createConversationSegments(template: () => ChatTemplate): ConversationSegments {
  const shapes = new Map<string, Shape | null>();
  let last: { messages: readonly ChatMessage[]; shape: Shape | null } | null = null;
  let holdsWord: HoldsWord | null = null;
  const rendered = (conversation: Conversation) =>
    renderConversation(template(), conversation).segments.map(({ special, text }) => ({
      special,
      parts: [text],
      known: null,
    }));

  return (conversation) => {
    holdsWord ??= templateWords(template().source);
    const texts = fillingsOf(conversation, holdsWord);
    if (texts === null) return rendered(conversation);
    // Most conversations are like the one before, and to make a key of each would take longer than to see it.
    if (!last || !areAlike(last.messages, conversation.messages))
      last = { messages: conversation.messages, shape: shapeFor(conversation.messages) };
    return last.shape === null ? rendered(conversation) : filled(last.shape, texts);
  };

  function shapeFor(messages: readonly ChatMessage[]): Shape | null {
    const key = keyOf(messages);
    const known = shapes.get(key);
    if (known !== undefined) return known;
    if (shapes.size >= mostShapes) shapes.clear();
    const shape = shapeOf(template(), messages);
    shapes.set(key, shape);
    return shape;
  }
}

/** The texts of plain messages in their order; null where they might change what is around them. */
function fillingsOf({ messages, tools }: Conversation, holdsWord: HoldsWord): string[] | null {
  if (tools.length > 0) return null;
  const texts: string[] = [];
  for (const message of messages) {
    if (message.role === 'tool' || (message.role === 'assistant' && message.toolCalls.length > 0)) return null;
    texts.push(...textsOf(message));
  }
  return texts.every((text) => text !== '' && text.trim() === text && !holdsWord(text)) ? texts : null;
}

function textsOf(message: ChatMessage): string[] {
  if (message.role !== 'assistant' || message.reasoning === null) return [message.content];
  return [message.reasoning, message.content];
}

function areAlike(some: readonly ChatMessage[], others: readonly ChatMessage[]): boolean {
  return (
    some.length === others.length &&
    some.every((message, index) => {
      const other = others[index];
      return other?.role === message.role && hasReasoning(other) === hasReasoning(message);
    })
  );
}

const hasReasoning = (message: ChatMessage) => message.role === 'assistant' && message.reasoning !== null;

function keyOf(messages: readonly ChatMessage[]): string {
  return messages.map((message) => `${message.role}${textsOf(message).length}`).join(' ');
}

/** Letters for private use mark the places; what stands between them must come through as it is. */
const markers = [
  (place: number) => `\uf500${String.fromCharCode(0xf600 + place)}\uf501`,
  (place: number) =>
    `\uf500 Aß é\n\n\t "q" 'r' \\n & < > {{ x }} ${'long '.repeat(400)}${String.fromCharCode(0xf600 + place)}\uf501`,
];
const mostHoles = 200;

/** What the template writes around the texts of such messages; null where that is not all that it does. */
function shapeOf(template: ChatTemplate, messages: readonly ChatMessage[]): Shape | null {
  const [one, other] = markers.map((marker) => {
    let place = 0;
    const mark = () => marker(place++);
    const marked = messages.map((message): ChatMessage => {
      if (message.role !== 'assistant') return { ...message, content: mark() };
      const reasoning = message.reasoning === null ? null : mark();
      return { ...message, reasoning, content: mark() };
    });
    return place > mostHoles
      ? null
      : read(renderConversation(template, { messages: marked, tools: [] }).segments, marker);
  });
  return one && other && JSON.stringify(one) === JSON.stringify(other) ? one : null;
}

function read(segments: readonly Segment[], marker: (place: number) => string): Shape | null {
  const shape = segments.map(({ text, special }) => ({
    special,
    pieces: text.split('\uf500').flatMap((piece, index): (string | Hole)[] => {
      if (index === 0) return [piece];
      const end = piece.indexOf('\uf501');
      const place = piece.charCodeAt(end - 1) - 0xf600;
      const isWhole = end > 0 && place >= 0 && `\uf500${piece.slice(0, end + 1)}` === marker(place);
      return isWhole ? [place, piece.slice(end + 1)] : ['\uf500'];
    }),
  }));
  if (shape.some(({ pieces }) => pieces.includes('\uf500'))) return null;
  return shape.map((segment) => {
    const parts = segment.pieces.filter((piece) => typeof piece === 'string');
    return { ...segment, parts, known: parts.length === segment.pieces.length ? { tokens: Number.NaN } : null };
  });
}

function filled(shape: Shape, texts: readonly string[]): DividedText[] {
  return shape.map((segment) =>
    segment.known
      ? segment
      : {
          special: segment.special,
          parts: segment.pieces.map((piece) => (typeof piece === 'number' ? (texts[piece] ?? '') : piece)),
          known: null,
        },
  );
}

/** Whether a text holds something that the program of a template may look for. */
export type HoldsWord = (text: string) => boolean;

export function templateWords(source: string): HoldsWord {
  return lookFor(wordsOf(source));
}

/** Everything that the template's program may look for in texts, without the blanks at its ends: texts have none there. */
function wordsOf(source: string): string[] {
  const program = source.replace(/\{#[\s\S]*?#\}/g, '').match(/\{[{%][\s\S]*?[%}]\}/g) ?? [];
  const literals = program
    .map((part) => part.replace(roleQuestion, ''))
    .flatMap((part) => [...part.matchAll(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/g)]);
  const texts = literals.map(([, one, other]) =>
    (one ?? other ?? '').replace(/\\[nrt]/g, '\n').replace(/\\(.)/g, '$1'),
  );
  const words = [...new Set(texts.map((text) => text.trim()))].filter((text) => text !== '');
  // Whatever holds a word that holds another one holds the other one, too.
  return words.filter((word) => !words.some((shorter) => shorter !== word && word.includes(shorter)));
}

/** Looks for what texts seldom have of each word, before it looks for the word. */
function lookFor(words: readonly string[]): HoldsWord {
  const byPart = Object.entries(Object.groupBy(words, seldomPartOf));
  return (text) =>
    byPart.some(([part, group]) => text.includes(part) && group?.some((word) => text.includes(word)) === true);
}

const oftenFirst = 'etaonisrhldcumfpgwybvkxjqz';

/** A sign; or else what follows its rarest letter, as a search goes from one place of the first letter to the next. */
function seldomPartOf(word: string): string {
  const sign = /[^\p{L}\p{N}\s.,:;!?'()-]/u.exec(word);
  if (sign) return sign[0];
  const ranks = [...word].map((character) => oftenFirst.indexOf(character));
  return [...word].slice(ranks.indexOf(Math.max(...ranks))).join('');
}

/** Asks for the role of a message and not for its text, which may well speak of users and tools. */
const roleQuestion = /(?:\.role|\[\s*['"]role['"]\s*\])\s*[!=]=\s*(?:'[^'\\]*'|"[^"\\]*")/g;
