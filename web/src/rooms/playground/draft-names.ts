import type { Project } from '../projects/index.ts';

/** Name of the draft of a conversation; null: of a new one, with one model or two. */
export const draftOf = ({ id }: Project, chatId: string | null): string => `message ${id} ${chatId ?? ''}`;

export const systemPromptDraftOf = ({ id }: Project, chatId: string | null): string =>
  `system prompt ${id} ${chatId ?? ''}`;
