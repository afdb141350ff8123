import type { NewSavedCall } from './saved-calls.store.ts';

/** Of one statement. */
const batchCalls = 64;
const batchCharacters = 4_000_000;
/** Of all that waits or is being written: a database that is away must not fill the memory. */
const mostCharacters = 32_000_000;

/** Calls that wait to be written, in the order in which they came. */
export function createWaitingCalls() {
  const waiting: NewSavedCall[] = [];
  let characters = 0;

  return {
    /** False: there is no room for it. */
    add(call: NewSavedCall): boolean {
      const size = sizeOf(call);
      if (characters + size > mostCharacters) return false;
      characters += size;
      waiting.push(call);
      return true;
    },

    /** The next ones that one statement can carry, at least one; they keep their room. Empty: none waits. */
    takeBatch(): NewSavedCall[] {
      let size = 0;
      let count = 0;
      for (const call of waiting) {
        size += sizeOf(call);
        if (count > 0 && (count === batchCalls || size > batchCharacters)) break;
        count += 1;
      }
      return waiting.splice(0, count);
    },

    /** What was taken is written, or given up: its room is free. */
    free(batch: readonly NewSavedCall[]): void {
      for (const call of batch) characters -= sizeOf(call);
    },
  };
}

const sizeOf = ({ messages, tools, answer, searchText }: NewSavedCall): number =>
  messages.length + tools.length + answer.length + searchText.length;
