import type { GrammarTexts } from '../text/grammar.ts';
import type { NativeGrammar, NativeModel } from './binding.ts';
import type { Constraint, PromptFacts } from './generation.ts';
import { RecentCache } from './recent-cache.ts';

/** What a request is held to. A grammar never changes: any number of requests may have it at a time. */
export type RequestGrammars = Pick<PromptFacts, 'constraint' | 'calls'>;

/** The grammars of a model's requests. Callers send the same schema again and again, so those that were used last are stored. */
export class Grammars {
  readonly #model: Pick<NativeModel, 'createGrammar'>;
  readonly #recent: RecentCache<RequestGrammars>;

  constructor(model: Pick<NativeModel, 'createGrammar'>, most = { count: 64, characters: 4_000_000 }) {
    this.#model = model;
    this.#recent = new RecentCache(most);
  }

  of(texts: GrammarTexts): RequestGrammars {
    const { whole, calls } = texts;
    if (whole === null && calls === null) return { constraint: null, calls: null };
    const key = JSON.stringify(texts);
    const known = this.#recent.get(key);
    if (known !== undefined) return known;
    const grammars = {
      constraint: whole === null ? null : this.#constraint(whole),
      calls: calls === null ? null : this.#model.createGrammar(calls),
    };
    this.#recent.set(key, grammars, key.length);
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
}
