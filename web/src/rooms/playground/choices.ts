import type { Schemas } from '../../api/generated/contract.ts';
import type { Choice } from './settings.ts';

export type Choices = readonly [Choice, ...Choice[]];

type Found = { hosted: readonly Schemas['HostedModel'][]; bases: readonly Schemas['BaseModel'][] };

/** What the owner of a project can call in it: names of its own first, then base models. */
export function choicesOf(kind: 'text' | 'embedding', { hosted, bases }: Found): Choice[] {
  const installed = bases.filter((base) => base.kind === kind && base.serving.available);
  const own = hosted.flatMap(({ alias, base_model, state }): Choice[] => {
    const base = bases.find(({ id }) => id === base_model);
    // One that is being activated says so when it is called, and then it is worth waiting for.
    return alias !== null && base && state !== 'inactive' ? [{ id: alias, label: alias, base }] : [];
  });
  const names = new Set(own.map(({ id }) => id));
  return [
    ...own,
    ...installed.flatMap((base) => (names.has(base.id) ? [] : [{ id: base.id, label: base.name, base }])),
  ];
}

/** The choices as a select shows them. */
export function groupsOf(choices: Choices, texts: { hosted: string; base: string }) {
  const group = (name: string, members: readonly Choice[]) =>
    members.length === 0 ? [] : [{ group: name, items: members.map(({ id, label }) => ({ value: id, label })) }];
  return [
    ...group(
      texts.hosted,
      choices.filter(({ id, base }) => id !== base.id),
    ),
    ...group(
      texts.base,
      choices.filter(({ id, base }) => id === base.id),
    ),
  ];
}

export function choiceOf(choices: Choices, id: string): Choice {
  return choices.find((choice) => choice.id === id) ?? choices[0];
}
