import type { GrammarTexts } from '../text/grammar.ts';
import type { NativeGrammar, NativeModel } from './binding.ts';
import type { Constraint, PromptFacts } from './generation.ts';

/** What a request is held to. A grammar never changes: any number of requests may have it at a time. */
export type RequestGrammars = Pick<PromptFacts, 'constraint' | 'calls'>;

const mostKept = 64;
const mostCharacters = 4_000_000;

/** The grammars of a model's requests. Callers send the same schema again and again, so those that were used last are kept. */
export class Grammars {
  readonly #model: Pick<NativeModel, 'createGrammar'>;
  readonly #most: { kept: number; characters: number };
  readonly #kept = new Map<string, RequestGrammars>();
  #characters = 0;

  constructor(
    model: Pick<NativeModel, 'createGrammar'>,
    most: { kept: number; characters: number } = { kept: mostKept, characters: mostCharacters },
  ) {
    this.#model = model;
    this.#most = most;
  }

  of(texts: GrammarTexts): RequestGrammars {
    const { whole, calls } = texts;
    if (whole === null && calls === null) return { constraint: null, calls: null };
    const key = JSON.stringify(texts);
    const known = this.#kept.get(key);
    if (known !== undefined) {
      this.#kept.delete(key);
      this.#kept.set(key, known);
      return known;
    }
    const grammars = {
      constraint: whole === null ? null : this.#constraint(whole),
      calls: calls === null ? null : this.#model.createGrammar(calls),
    };
    this.#keep(key, grammars);
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

  #keep(key: string, grammars: RequestGrammars): void {
    this.#kept.set(key, grammars);
    this.#characters += key.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.#most.kept && this.#characters <= this.#most.characters) break;
      this.#kept.delete(oldest);
      this.#characters -= oldest.length;
    }
  }
}
