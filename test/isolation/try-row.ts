import { randomBytes } from 'node:crypto';
import type { RouteRow } from '#http';
import { newId } from '#kernel';
import { type Answer, ask, parametersOf, paramsOf } from './ask.ts';
import {
  type Asked,
  type Attempt,
  type Caller,
  type Cell,
  callers,
  type Place,
  type Row,
  type Scene,
} from './matrix.ts';
import { sceneOf } from './scene.ts';
import { type Credential, credentialsOf, placeOf, type World } from './world.ts';

/** What came of asking one route as everybody: how many answers were looked at, and what was wrong with them. */
export type Verdict = { answers: number; wrong: string[] };

type Tried = { row: Row; route: RouteRow; scene: Scene; asked: Asked; credential: Credential; answer: Answer };

/** Asks one route as everybody. The owner comes last: what he then gets shows that the refusals have changed nothing. */
export async function tryRow(world: World, row: Row, route: RouteRow): Promise<Verdict> {
  const verdict: Verdict = { answers: 0, wrong: [] };
  for (const caller of callers.toReversed())
    for (const credential of credentialsOf(world, caller)) {
      const place = placeOf(world, caller, row.kind ?? 'text');
      const tried = await tryCell({ world, row, route, caller, credential, place });
      judge(verdict, tried, { name: caller, cell: cellFor(route, credential, row.expected[caller]) });
      if (tried.answer.status === 404) await compareWithMissing(verdict, tried, idsToReplace(route, caller));
    }
  if (isObjectOfProject(row, route)) await tryElsewhere(verdict, { world, row, route });
  for (const attempt of row.attempts ?? []) await tryAttempt(verdict, { world, row, route }, attempt);
  return verdict;
}

type CellTry = { world: World; row: Row; route: RouteRow; caller: Caller; credential: Credential; place: Place };

async function tryCell({ world, row, route, caller, credential, place }: CellTry): Promise<Tried> {
  const scene = sceneOf(world, caller, place);
  const asked = (await row.request?.(scene)) ?? {};
  return { row, route, scene, asked, credential, answer: await send({ route, scene, credential, asked }) };
}

function send({ route, scene, credential, asked }: Pick<Tried, 'route' | 'scene' | 'credential' | 'asked'>) {
  const { world, place } = scene;
  return ask({ origin: world.app.origin, route, place, asked, credential: credential.headers });
}

/** Some routes take only one of the two credentials; a caller who is known gets told so. */
function cellFor({ access, contract }: RouteRow, { kind }: Credential, cell: Cell): Cell {
  const only = contract?.credential ?? (access === 'admission' ? 'api_key' : null);
  if (kind === 'none' || only === null || only === kind) return cell;
  if (only === 'api_key') return '401 invalid_credentials';
  return cell.startsWith('401') || cell.startsWith('403 account') ? cell : '403 session_required';
}

/** Adds to the verdict what an answer should not have been or said. */
function judge(verdict: Verdict, tried: Tried, { name, cell }: { name: string; cell: Cell }): void {
  const { scene, answer, asked, credential } = tried;
  const got = answer.code === null ? `${answer.status}` : `${answer.status} ${answer.code}`;
  const label = `${name} (${credential.kind})`;
  verdict.answers += 1;
  if (got !== cell) verdict.wrong.push(`${label}: expected ${cell}, got ${got}: ${answer.text.slice(0, 300)}`);
  if (scene.caller === 'owner') return;
  const sent = JSON.stringify([paramsOf({ ...tried, place: scene.place }), asked]);
  for (const secret of scene.world.secrets)
    if (answer.text.includes(secret) && !sent.includes(secret)) verdict.wrong.push(`${label}: reads ${secret}`);
}

/** A stranger must not tell any part of the path from nothing; who sees the project, what is in it. */
function idsToReplace({ path }: RouteRow, caller: Caller): string[] {
  const names = parametersOf(path);
  return caller === 'stranger' ? names : names.slice(-1);
}

/** Asks again with something that does not exist in place of each of these parts of the path. */
async function compareWithMissing(verdict: Verdict, tried: Tried, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const params = { ...tried.asked.params, [name]: missing(paramsOf({ ...tried, place: tried.scene.place })[name]) };
    const asked = { ...tried.asked, params };
    compare(verdict, tried, { what: `another ${name}`, other: await send({ ...tried, asked }) });
  }
}

function compare(verdict: Verdict, tried: Tried, { what, other }: { what: string; other: Answer }): void {
  verdict.answers += 1;
  if (other.gist === tried.answer.gist) return;
  const { scene, credential, answer } = tried;
  verdict.wrong.push(
    `${scene.caller} (${credential.kind}): ${what}, which does not exist, is answered differently:\n${answer.gist}\n-- but --\n${other.gist}`,
  );
}

/** Something of the same form that does not exist. */
function missing(value = ''): string {
  const prefix = /^([a-z]+)_[0-9A-Z]{26}$/.exec(value)?.[1];
  // newId wants a known prefix; any id of the same form will do here.
  return prefix === undefined ? `none-${randomBytes(4).toString('hex')}` : newId('req').replace('req', prefix);
}

function isObjectOfProject(row: Row, { path }: RouteRow): boolean {
  const names = parametersOf(path);
  return names.length > 2 && names[0] === 'owner' && names[1] === 'project' && !row.byName;
}

type RowTry = { world: World; row: Row; route: RouteRow };

/** The right id in the wrong project: in another of the owner's, and in one of the stranger's own. */
async function tryElsewhere(verdict: Verdict, { world, row, route }: RowTry): Promise<void> {
  const places = world.places[row.kind ?? 'text'];
  for (const [caller, place] of [
    ['owner', places.elsewhere],
    ['stranger', places.ofStranger],
  ] as const)
    for (const credential of credentialsOf(world, caller)) {
      const home = sceneOf(world, caller, places.private);
      const asked = (await row.request?.(home)) ?? {};
      const scene = sceneOf(world, caller, place);
      const answer = await send({ route, scene, credential, asked });
      const tried: Tried = { row, route, scene, asked, credential, answer };
      if (isRefusedFor(route, credential)) continue;
      if (answer.status !== 404) verdict.wrong.push(`${caller}: got ${answer.status} in project ${place.project}`);
      else await compareWithMissing(verdict, tried, idsToReplace(route, 'owner'));
    }
}

function isRefusedFor(route: RouteRow, credential: Credential): boolean {
  return cellFor(route, credential, '200') !== '200';
}

async function tryAttempt(verdict: Verdict, { world, row, route }: RowTry, attempt: Attempt): Promise<void> {
  const { name, caller = 'stranger', expected, request, like } = attempt;
  for (const credential of credentialsOf(world, caller)) {
    const scene = sceneOf(world, caller, placeOf(world, caller, row.kind ?? 'text'));
    const asked = await request(scene);
    const tried = { row, route, scene, asked, credential, answer: await send({ route, scene, credential, asked }) };
    judge(verdict, tried, { name, cell: cellFor(route, credential, expected) });
    if (like) {
      const other = await send({ route, scene, credential, asked: await like(scene) });
      compare(verdict, tried, { what: name, other });
    }
  }
}
