import type { Database } from '#db';
import type { ProjectRemovalStep } from '#projects';
import { deleteEmptyChats, deleteMessagesIn } from './deleted-projects.store.ts';

const messagesAtOnce = 200;
const chatsAtOnce = 500;

/** Removes the chats of a deleted project. Answers that are being made then end first. */
export function removeChatsOf(database: Database): ProjectRemovalStep {
  return async ({ id }, { repeat }) => {
    await repeat(() => deleteMessagesIn(database, id, messagesAtOnce));
    await repeat(() => deleteEmptyChats(database, id, chatsAtOnce));
  };
}
