import type { GrammarTexts } from '../text/grammar.ts';
import type { NativeGrammar, NativeModel } from './binding.ts';
import type { Constraint, PromptFacts } from './generation.ts';

/** What a request is held to. A grammar never changes: any number of requests may have it at a time. */
export type RequestGrammars = Pick<PromptFacts, 'constraint' | 'calls'>;

const mostStored = 64;
const mostCharacters = 4_000_000;

/** The grammars of a model's requests. Callers send the same schema again and again, so those that were used last are stored. */
export class Grammars {
  readonly #model: Pick<NativeModel, 'createGrammar'>;
  readonly #most: { count: number; characters: number };
  readonly #stored = new Map<string, RequestGrammars>();
  #characters = 0;

  constructor(
    model: Pick<NativeModel, 'createGrammar'>,
    most: { count: number; characters: number } = { count: mostStored, characters: mostCharacters },
  ) {
    this.#model = model;
    this.#most = most;
  }

  of(texts: GrammarTexts): RequestGrammars {
    const { whole, calls } = texts;
    if (whole === null && calls === null) return { constraint: null, calls: null };
    const key = JSON.stringify(texts);
    const known = this.#stored.get(key);
    if (known !== undefined) {
      this.#stored.delete(key);
      this.#stored.set(key, known);
      return known;
    }
    const grammars = {
      constraint: whole === null ? null : this.#constraint(whole),
      calls: calls === null ? null : this.#model.createGrammar(calls),
    };
    this.#store(key, grammars);
    return grammars;
  }

  /** Many requests never come to the second one. What is refused is refused by the first: they differ in newlines. */
  #constraint({ atStart, afterReasoning: text }: NonNullable<GrammarTexts['whole']>): Constraint {
    const model = this.#model;
    let afterReasoning: NativeGrammar | null = null;
    return {
      atStart: model.createGrammar(atStart),
      get afterReasoning() {
        afterReasoning ??= model.createGrammar(text);
        return afterReasoning;
      },
    };
  }

  #store(key: string, grammars: RequestGrammars): void {
    this.#stored.set(key, grammars);
    this.#characters += key.length;
    for (const oldest of this.#stored.keys()) {
      if (this.#stored.size <= this.#most.count && this.#characters <= this.#most.characters) break;
      this.#stored.delete(oldest);
      this.#characters -= oldest.length;
    }
  }
}
