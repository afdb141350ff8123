import { type Asked, freeCallGrammar, promptGrammars } from '../text/grammar.ts';
import type { ToolSyntax } from '../text/template.ts';
import type { NativeGrammar, NativeModel } from './binding.ts';
import type { Constraint, PromptFacts } from './generation.ts';

/** What a request is held to. A grammar never changes: any number of requests may have it at a time. */
export type RequestGrammars = Pick<PromptFacts, 'constraint' | 'calls'>;

const mostKept = 64;
const mostCharacters = 4_000_000;

/**
 * The grammars of a model's requests. Callers send the same schema again and again, and making a grammar of it takes longer than
 * a step of a small model; so those that were used last are kept.
 */
export class Grammars {
  readonly #model: Pick<NativeModel, 'createGrammar'>;
  readonly #most: { kept: number; characters: number };
  /** The least recently used first. */
  readonly #kept = new Map<string, { grammars: RequestGrammars; characters: number }>();
  #characters = 0;

  constructor(
    model: Pick<NativeModel, 'createGrammar'>,
    most: { kept: number; characters: number } = { kept: mostKept, characters: mostCharacters },
  ) {
    this.#model = model;
    this.#most = most;
  }

  /** Throws where the request cannot be enforced. */
  of({ responseFormat, toolChoice, tools, parallelToolCalls }: Asked, toolSyntax: ToolSyntax): RequestGrammars {
    const asked: Asked = { responseFormat, toolChoice, tools, parallelToolCalls };
    const key = JSON.stringify([asked, toolSyntax]);
    const known = this.#kept.get(key);
    if (known !== undefined) {
      this.#kept.delete(key);
      this.#kept.set(key, known);
      return known.grammars;
    }
    const { grammars, characters } = this.#compile(asked, toolSyntax);
    if (characters > 0) this.#keep(key, grammars, characters);
    return grammars;
  }

  #compile(asked: Asked, toolSyntax: ToolSyntax): { grammars: RequestGrammars; characters: number } {
    const whole = promptGrammars(asked, toolSyntax);
    const calls = freeCallGrammar(asked, toolSyntax);
    let characters = 0;
    const counted = (gbnf: string): string => {
      characters += gbnf.length;
      return gbnf;
    };
    const compiled = (gbnf: string): NativeGrammar => this.#model.createGrammar(counted(gbnf));
    const grammars = {
      constraint: whole === null ? null : this.#constraint(compiled(whole('nothing')), counted(whole('newlines'))),
      calls: calls === null ? null : compiled(calls),
    };
    return { grammars, characters };
  }

  /** Many requests never come to the second one. What is refused is refused by the first: they differ in newlines. */
  #constraint(atStart: NativeGrammar, gbnf: string): Constraint {
    const model = this.#model;
    let afterReasoning: NativeGrammar | null = null;
    return {
      atStart,
      get afterReasoning() {
        afterReasoning ??= model.createGrammar(gbnf);
        return afterReasoning;
      },
    };
  }

  #keep(key: string, grammars: RequestGrammars, ofGrammars: number): void {
    const characters = key.length + ofGrammars;
    this.#kept.set(key, { grammars, characters });
    this.#characters += characters;
    for (const [oldest, { characters: freed }] of this.#kept) {
      if (this.#kept.size <= this.#most.kept && this.#characters <= this.#most.characters) break;
      this.#kept.delete(oldest);
      this.#characters -= freed;
    }
  }
}
