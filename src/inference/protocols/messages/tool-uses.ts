import type { ToolCall } from '#engine';
import { refuse } from './refuse.ts';

/** The calls of the last answer: each of them is answered once, before the next one. */
export function createToolUses() {
  let open = new Set<string>();
  let answered = new Set<string>();
  let path = '';
  let isOver = false;

  /** Calls without a result are told in Anthropic's words: clients know them, and mend their conversation. */
  function end(): void {
    const missing = [...open].filter((id) => !answered.has(id));
    if (missing.length > 0)
      throw refuse(
        path,
        `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
      );
  }

  return {
    /** An answer of the model; neighbouring ones are one. */
    called(calls: readonly ToolCall[], at: string): void {
      if (isOver) {
        end();
        open = new Set();
        answered = new Set();
        isOver = false;
      }
      for (const { id } of calls) {
        if (open.has(id)) throw refuse(at, `two \`tool_use\` blocks have the id ${id}`);
        open.add(id);
      }
      path = at;
    },
    /** A message of the user. */
    userSpoke(): void {
      isOver = true;
    },
    /** A result within it. */
    answered(id: string, at: string): void {
      if (!open.has(id))
        throw refuse(
          at,
          `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
        );
      if (answered.has(id)) throw refuse(at, `each \`tool_use\` must have a single result: ${id} has two`);
      answered.add(id);
    },
    end,
  };
}
