import { createHash } from 'node:crypto';
import { createOutage, type Log, type Rounds } from '#kernel';
import type { Sql } from './database.ts';

/**
 * Asks what several rooms look for every few seconds with one statement. On a server that rests nearly every answer is no, and a
 * statement costs more than the answers to all the questions.
 */
export type Lookout = {
  /** Rounds of a look. They come with others, so each may come sooner than its pause, and not later. */
  look: <Answer>(look: Look<Answer>) => Rounds;
};

/** A value of a question; gives its place in the statement. */
export type Place = (value: string | readonly string[]) => string;

/** An SQL expression that reads next to nothing, changes nothing and waits for no lock on a row. */
export type Question = (place: Place) => string;

export type Look<Answer> = {
  question: Question;
  /** From the end of one round to the beginning of the next. */
  pauseMs: number;
  /** Whether the first round waits for a pause, too; it has no answer otherwise. */
  first?: 'at once' | 'after a pause';
  /**
   * @param answer undefined: nobody knows, for example because a table that another room asks about is locked. Who looks
   * then looks on its own.
   */
  work: (answer: Answer | undefined) => Promise<unknown>;
  onTrouble: (error: unknown) => void;
};

type Listed = {
  question: Question;
  pauseMs: number;
  isDue: (leastMs: number) => boolean;
  begin: (answer: unknown) => void;
};

/**
 * Whoever waits longer asks on its own. A table that somebody locks is the trouble of one room: the others would be late by what is
 * waited for it, and a statement that is only given up waits on in PostgreSQL, each time one more.
 */
const patience = { timeoutMs: 5_000, lockMs: 300 };

export function createLookout({ sql, log }: { sql: Sql; log?: Log | undefined }): Lookout {
  const listed = new Set<Listed>();
  let timer: NodeJS.Timeout | undefined;
  let asking: Promise<void> | null = null;
  const outage = createOutage<{ err: unknown }>({
    tell: (trouble, alike) =>
      log?.warn(alike === 0 ? trouble : { ...trouble, alike }, 'no common look: each looks on its own'),
    tellEnd: (failures) => log?.info({ failures }, 'there is a common look again'),
  });

  const leastMs = () => Math.min(...[...listed].map(({ pauseMs }) => pauseMs));

  function wait(): void {
    clearTimeout(timer);
    if (listed.size > 0 && !asking) timer = setTimeout(turn, leastMs()).unref();
  }

  function turn(): void {
    asking = askDue().finally(() => {
      asking = null;
      wait();
    });
  }

  async function askDue(): Promise<void> {
    const all = [...listed];
    const due = all.filter(({ isDue }) => isDue(leastMs()));
    if (due.length === 0) return;
    const answers = await askAndTell(all);
    for (const one of due) if (listed.has(one)) one.begin(answers[all.indexOf(one)]);
  }

  /** None where nobody answers. */
  async function askAndTell(all: readonly Listed[]): Promise<unknown[]> {
    try {
      const answers = await ask(all);
      outage.works();
      return answers;
    } catch (err) {
      outage.fails({ err });
      return [];
    }
  }

  /** All questions each time, so that it is always the same statement. */
  async function ask(all: readonly Listed[]): Promise<unknown[]> {
    const values: unknown[] = [];
    const place: Place = (value) => `$${values.push(value)}`;
    const text = `select ${all.map(({ question }, n) => `(${question(place)}) as "${n}"`).join(',\n ')}`;
    const name = `db.lookout.${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
    const [row = {}] = await sql.query<Record<string, unknown>>(text, values, { name, ...patience });
    return Object.values(row);
  }

  return {
    look<Answer>({ question, pauseMs, first = 'after a pause', work, onTrouble }: Look<Answer>): Rounds {
      let current: Promise<void> | null = null;
      let endedMs = 0;
      const one: Listed = {
        ...{ question, pauseMs },
        // Timers may fire early. After the next turn it would be late.
        isDue: (leastMs) => !current && performance.now() - endedMs > pauseMs - 0.9 * leastMs,
        begin(answer) {
          // as: what its own question is answered with.
          current = work(answer as Answer | undefined)
            .catch(onTrouble)
            .then(() => {
              endedMs = performance.now();
              current = null;
            });
        },
      };
      return {
        start() {
          if (listed.has(one)) return;
          listed.add(one);
          endedMs = performance.now();
          if (first === 'at once') one.begin(undefined);
          wait();
        },
        async stop() {
          listed.delete(one);
          wait();
          await asking;
          await current;
        },
      };
    },
  };
}
