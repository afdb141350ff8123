import type { Project } from '../projects/index.ts';

/** What is written for a conversation; null: for one that is to begin, with one model or with two. */
export const draftOf = ({ id }: Project, chatId: string | null): string => `message ${id} ${chatId ?? ''}`;

/** The system prompt of a conversation, which takes it over with the next message. */
export const systemPromptDraftOf = ({ id }: Project, chatId: string | null): string =>
  `system prompt ${id} ${chatId ?? ''}`;
