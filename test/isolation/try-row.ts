import { randomBytes } from 'node:crypto';
import type { RegisteredRoute } from '#http';
import { newId } from '#kernel';
import { ask, parametersOf, paramsOf } from './ask.ts';
import { type Asked, type Attempt, type Caller, type Cell, callers, type Place, type Row } from './matrix.ts';
import { sceneOf } from './scene.ts';
import { compare, judge, type Tried, type Verdict } from './verdict.ts';
import { type Credential, credentialsOf, placeOf, type World } from './world.ts';

type RowTry = { world: World; row: Row; route: RegisteredRoute };

/** Asks one route as everybody. */
export async function tryRow(world: World, row: Row, route: RegisteredRoute): Promise<Verdict> {
  const verdict: Verdict = { answers: 0, wrong: [] };
  const rowTry = { world, row, route };
  for (const caller of callers.toReversed())
    for (const credential of await credentialsOf(world, caller)) await tryCell(verdict, rowTry, { caller, credential });
  if (isObjectOfProject(row, route)) await tryElsewhere(verdict, rowTry);
  for (const attempt of row.attempts ?? []) await tryAttempt(verdict, rowTry, attempt);
  return verdict;
}

type Asking = { caller: Caller; credential: Credential };

async function tryCell(verdict: Verdict, { world, row, route }: RowTry, { caller, credential }: Asking): Promise<void> {
  const place = placeOf(world, caller, row.kind ?? 'text');
  const scene = sceneOf(world, caller, place);
  const asked = (await row.request?.(scene)) ?? {};
  const tried = { row, route, scene, asked, credential, answer: await send({ route, scene, credential, asked }) };
  judge(verdict, tried, {
    name: caller,
    cell: cellFor(route, credential, { ...row.expected, cell: row.expected[caller] }),
  });
  if (tried.answer.status === 404) await compareWithMissing(verdict, tried, idsToReplace(route, caller));
  if (isRefusedChange(tried)) await repeatAsOwner(verdict, tried);
}

function send({ route, scene, credential, asked }: Pick<Tried, 'route' | 'scene' | 'credential' | 'asked'>) {
  const { world, place } = scene;
  return ask({ origin: world.app.origin, route, place, asked, credential: credential.headers });
}

/** Some routes take only one of the two credentials; a caller who is known gets told so. */
function cellFor(
  { access, contract }: RegisteredRoute,
  { kind }: Credential,
  { cell, noCredential }: { cell: Cell; noCredential: Cell },
): Cell {
  const only = contract?.credential ?? (access === 'admission' ? 'api_key' : null);
  if (access === 'public' || kind === 'none' || only === null || only === kind) return cell;
  if (only === 'api_key') return noCredential;
  return cell.startsWith('401') || cell.startsWith('403 account') ? cell : '403 session_required';
}

function isTakenBy(route: RegisteredRoute, credential: Credential): boolean {
  return cellFor(route, credential, { cell: '200', noCredential: '401' }) === '200';
}

/** Somebody else was refused a change in the owner's private project, or account, that the owner may make. */
function isRefusedChange({ row, route, scene, answer }: Tried): boolean {
  const { world, place, caller } = scene;
  const isOwners = place === world.places[place.kind].private && caller !== 'owner';
  return isOwners && route.method !== 'GET' && answer.status >= 400 && row.expected.owner.startsWith('2');
}

/** What was refused to somebody else must still be there for its owner to do: the refusal changed nothing. */
async function repeatAsOwner(
  verdict: Verdict,
  { row, route, scene, asked, credential: refused }: Tried,
): Promise<void> {
  const { world, place, caller } = scene;
  const credential = (await credentialsOf(world, 'owner')).find((each) => isTakenBy(route, each));
  if (!credential) return;
  const own = sceneOf(world, 'owner', place);
  const answer = await send({ route, scene: own, credential, asked });
  const tried = { row, route, scene: own, asked, credential, answer };
  judge(verdict, tried, { name: `owner after ${caller} (${refused.kind})`, cell: row.expected.owner });
}

/** A stranger must not tell any part of the path from nothing; who sees the project, what is in it. */
function idsToReplace({ path }: RegisteredRoute, caller: Caller): string[] {
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

/** Something of the same form that does not exist. */
function missing(value = ''): string {
  const prefix = /^([a-z]+)_[0-9A-Z]{26}$/.exec(value)?.[1];
  // newId wants a known prefix; any id of the same form will do here.
  return prefix === undefined ? `none-${randomBytes(4).toString('hex')}` : newId('req').replace('req', prefix);
}

function isObjectOfProject(row: Row, { path }: RegisteredRoute): boolean {
  const names = parametersOf(path);
  return names.length > 2 && names[0] === 'owner' && names[1] === 'project' && !row.byName;
}

/** The right id in the wrong project: in another of the owner's, and in one of the stranger's own. */
async function tryElsewhere(verdict: Verdict, { world, row, route }: RowTry): Promise<void> {
  const places = world.places[row.kind ?? 'text'];
  for (const [caller, place] of [
    ['owner', places.elsewhere],
    ['stranger', places.ofStranger],
  ] as const)
    for (const credential of await credentialsOf(world, caller))
      if (isTakenBy(route, credential)) {
        const asked = (await row.request?.(sceneOf(world, caller, places.private))) ?? {};
        await tryWrongPlace(verdict, { world, row, route }, { caller, credential, place, asked });
      }
}

async function tryWrongPlace(
  verdict: Verdict,
  { world, row, route }: RowTry,
  { caller, credential, place, asked }: Asking & { place: Place; asked: Asked },
): Promise<void> {
  const scene = sceneOf(world, caller, place);
  const tried = { row, route, scene, asked, credential, answer: await send({ route, scene, credential, asked }) };
  const { status, text } = tried.answer;
  const ofProject = `${caller} (${credential.kind}): an id of ${world.owner.slug}/${world.places[place.kind].private.project}`;
  if (status === 404) await compareWithMissing(verdict, tried, idsToReplace(route, caller).slice(-1));
  else verdict.wrong.push(`${ofProject} works in ${place.ownerSlug}/${place.project}: ${status} ${text.slice(0, 300)}`);
}

async function tryAttempt(verdict: Verdict, { world, row, route }: RowTry, attempt: Attempt): Promise<void> {
  const { name, caller = 'stranger', expected, request, like } = attempt;
  for (const credential of await credentialsOf(world, caller)) {
    const scene = sceneOf(world, caller, placeOf(world, caller, row.kind ?? 'text'));
    const asked = await request(scene);
    const tried = { row, route, scene, asked, credential, answer: await send({ route, scene, credential, asked }) };
    judge(verdict, tried, { name, cell: cellFor(route, credential, { ...row.expected, cell: expected }) });
    if (!like) continue;
    const other = await send({ route, scene, credential, asked: await like(scene) });
    compare(verdict, tried, { what: name, other });
  }
}
