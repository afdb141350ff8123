export { type ChatsOptions, createChats } from './chats-room.ts';
