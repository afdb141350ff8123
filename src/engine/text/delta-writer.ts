import type { Delta } from '../port.ts';
import { createHeldText } from './held-text.ts';
import { createStopMatcher } from './stop-matcher.ts';
import type { ParsedCall } from './tool-call.ts';
import { WholeCharacters } from './whole-characters.ts';

/**
 * Collects deltas. Content passes the stop strings; whitespace at its end waits where a tool call may follow, because
 * whitespace in front of a call is dropped. Half a surrogate pair waits for its other half, and is left out without it.
 */
export type DeltaWriter = {
  reasoning: (text: string) => void;
  content: (text: string) => void;
  call: (call: ParsedCall) => void;
  /** Writes what is still held back. */
  end: () => void;
  /** The stop string that ended the content; null: none did. */
  stopText: () => string | null;
  calls: () => number;
  /** The deltas since the last drain; neighbours of one kind are joined. */
  drain: () => Delta[];
};

export function createDeltaWriter(options: { stop: readonly string[]; holdSpace: boolean }): DeltaWriter {
  const stop = createStopMatcher(options.stop);
  const text = createTextDeltas();
  const tail = createHeldText();
  let space = 0;
  let calls = 0;

  const write = (passed: string): void => {
    const trimmed = options.holdSpace ? passed.trimEnd().length : passed.length;
    space = trimmed === 0 ? space + passed.length : passed.length - trimmed;
    tail.append(passed);
    if (stop.matched() !== null) space = 0;
    text.add('content', tail.take(tail.length() - space));
  };

  return {
    reasoning: (reasoning) => text.add('reasoning', reasoning),
    content: (content) => write(stop.push(content)),
    call: (call) => {
      write(stop.flush());
      tail.take(tail.length());
      space = 0;
      text.addCall({ type: 'tool_call', index: calls, ...call });
      calls += 1;
    },
    end: () => {
      write(stop.flush());
      text.add('content', tail.take(tail.length()));
    },
    stopText: stop.matched,
    calls: () => calls,
    drain: text.drain,
  };
}

type TextKind = 'reasoning' | 'content';

function createTextDeltas() {
  let deltas: Delta[] = [];
  let pending: { kind: TextKind; pieces: string[] } | null = null;
  const characters = new WholeCharacters();

  const flush = (): void => {
    if (pending !== null && pending.pieces.length > 0) {
      deltas.push({ type: pending.kind, text: pending.pieces.join('') });
    }
    pending = null;
  };

  return {
    add: (kind: TextKind, added: string): void => {
      if (added === '') return;
      if (pending?.kind !== kind) {
        characters.end();
        flush();
        pending = { kind, pieces: [] };
      }
      const whole = characters.push(added);
      if (whole !== '') pending.pieces.push(whole);
    },
    addCall: (delta: Delta): void => {
      characters.end();
      flush();
      deltas.push(delta);
    },
    drain: (): Delta[] => {
      const kind = pending?.kind;
      flush();
      if (kind !== undefined && characters.waits) pending = { kind, pieces: [] };
      const drained = deltas;
      deltas = [];
      return drained;
    },
  };
}
