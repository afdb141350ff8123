export { type Chats, type ChatsOptions, createChats } from './chats-room.ts';
