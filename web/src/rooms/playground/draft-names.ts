import type { Project } from '../projects/index.ts';

/** Name of the draft of a conversation; null: of a new one, with one model or two. */
export const draftOf = ({ id }: Pick<Project, 'id'>, chatId: string | null): string => `message ${id} ${chatId ?? ''}`;

export const settingsDraftOf = ({ id }: Project, chatId: string | null): string => `settings ${id} ${chatId ?? ''}`;
