import type { Protocol } from '../protocol.ts';
import { chatCompletions } from './chat-completions/index.ts';
import { completions } from './completions/index.ts';
import { embeddings } from './embeddings/index.ts';

/** The protocols that are served; another one is a folder beside these, and a line here. */
export const protocols: readonly Protocol[] = [chatCompletions, completions, embeddings];
