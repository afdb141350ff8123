import type { RegisteredRoute } from '#http';
import { type Answer, paramsOf } from './ask.ts';
import type { Asked, Cell, Row, Scene } from './matrix.ts';
import type { Credential } from './world.ts';

/** What came of asking one route as everybody: how many answers were looked at, and what was wrong with them. */
export type Verdict = { answers: number; wrong: string[] };

/** A question of the matrix, and its answer. */
export type Tried = {
  row: Row;
  route: RegisteredRoute;
  scene: Scene;
  asked: Asked;
  credential: Credential;
  answer: Answer;
};

/** Adds to the verdict what an answer should not have been, or not have said. */
export function judge(verdict: Verdict, tried: Tried, { name, cell }: { name: string; cell: Cell }): void {
  const { route, scene, answer, asked, credential } = tried;
  const got = answer.code === null ? `${answer.status}` : `${answer.status} ${answer.code}`;
  const label = `${name} (${credential.kind})`;
  verdict.answers += 1;
  if (got !== cell) verdict.wrong.push(`${label}: expected ${cell}, got ${got}: ${answer.text.slice(0, 300)}`);
  if (scene.caller === 'owner' || (scene.caller === 'operator' && route.contract?.operator)) return;
  const sent = JSON.stringify([paramsOf({ ...tried, place: scene.place }), asked]);
  for (const secret of scene.world.secrets.readIn(answer.told))
    if (!sent.includes(secret)) verdict.wrong.push(`${label}: reads ${secret}`);
}

/** Adds to the verdict that something hidden is answered differently from something that does not exist. */
export function compare(verdict: Verdict, tried: Tried, { what, other }: { what: string; other: Answer }): void {
  verdict.answers += 1;
  const [gist, otherGist] = [tried.answer.gist(), other.gist()];
  if (gist === otherGist) return;
  const { scene, credential } = tried;
  verdict.wrong.push(
    `${scene.caller} (${credential.kind}): ${what}, which does not exist, is answered differently:\n${gist}\n-- but --\n${otherGist}`,
  );
}
