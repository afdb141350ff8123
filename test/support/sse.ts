/** A chat chunk as far as tests look at it. */
export type ChatFrame = {
  id: string;
  created: number;
  model: string;
  choices: {
    index: number;
    delta: { role?: string; content?: string; reasoning_content?: string; tool_calls?: unknown[] };
    finish_reason: string | null;
  }[];
  usage?: Record<string, unknown> | null;
  error?: { message: string; type: string; code: string };
};

/** The JSON frames of a complete event stream, without comments and the sentinel. */
export function readFrames(text: string): ChatFrame[] {
  return text
    .split('\n\n')
    .filter((block) => block.startsWith('data: ') && block !== 'data: [DONE]')
    .map((block) => JSON.parse(block.slice('data: '.length)));
}
