export { type ChatsOptions, createChats } from './chats-room.ts';
export { removeChatsOf } from './deleted-projects.ts';
