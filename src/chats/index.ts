export { type Chats, createChats } from './chats-room.ts';
