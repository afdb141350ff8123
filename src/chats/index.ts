export { createChats } from './chats-room.ts';
