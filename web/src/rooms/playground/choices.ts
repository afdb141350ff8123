import type { Schemas } from '../../api/generated/contract.ts';
import type { ModelKind } from '../../ui/kind.tsx';
import type { CallableModel } from '../models/index.ts';
import type { Choice } from './settings.ts';

export type Choices = readonly [Choice, ...Choice[]];

type AvailableModels = {
  hosted: readonly Schemas['HostedModel'][];
  trained: readonly CallableModel[];
  /** Models of other accounts that are shared with this one. */
  shared: readonly CallableModel[];
  bases: readonly Schemas['BaseModel'][];
};

/** Models that can be called: hosted models first, then trained ones, then those shared by others, then base models. */
export function choicesOf(kind: ModelKind, { hosted, trained, shared, bases }: AvailableModels): Choice[] {
  const installed = bases.filter((base) => base.kind === kind && base.serving.available);
  const hostedChoices = hosted.flatMap(({ alias, base_model, state }): Choice[] => {
    const base = bases.find(({ id }) => id === base_model);
    // A model that is loading can be called: the request waits for it.
    const isCallable = alias !== null && base?.kind === kind && state !== 'inactive';
    return isCallable ? [{ kind: 'hosted', id: alias, label: alias, base }] : [];
  });
  const names = new Set(hostedChoices.map(({ id }) => id));
  const trainedChoices = trained.flatMap(({ ref, name, base_model, callable }): Choice[] => {
    const base = bases.find(({ id }) => id === base_model);
    return callable && base?.kind === kind ? [{ kind: 'trained', id: ref, label: `${name} · ${base.name}`, base }] : [];
  });
  const sharedChoices = shared.flatMap(({ ref, base_model, callable, project, call }): Choice[] => {
    const base = bases.find(({ id }) => id === base_model);
    if (!callable || base?.kind !== kind || !project || call.base_url === null) return [];
    const id = `${project.owner}/${project.slug}/${ref}`;
    return [{ kind: 'shared', id, label: id, base, elsewhere: { baseUrl: call.base_url, model: ref } }];
  });
  const plain = installed.filter(({ id }) => !names.has(id));
  return [
    ...hostedChoices,
    ...trainedChoices,
    ...sharedChoices,
    ...plain.map((base): Choice => ({ kind: 'base', id: base.id, label: base.name, base })),
  ];
}

/** A former model of the conversation may be inactive by now. */
export const isAmong = (choices: Choices, id: string): boolean => choices.some((choice) => choice.id === id);

export function groupsOf(choices: Choices, texts: Record<Choice['kind'], string>) {
  return (['hosted', 'trained', 'shared', 'base'] as const).flatMap((kind) => {
    const members = choices.filter((choice) => choice.kind === kind);
    const items = members.map(({ id, label }) => ({ value: id, label }));
    return items.length === 0 ? [] : [{ group: texts[kind], items }];
  });
}

/** The model that is best compared with another: its base model, or any other. */
export function counterpartOf(choices: Choices, first: Choice): Choice {
  const others = choices.filter(({ id }) => id !== first.id);
  return others.find(({ id }) => id === first.base.id) ?? others[0] ?? first;
}

export function choiceOf(choices: Choices, id: string): Choice {
  return choices.find((choice) => choice.id === id) ?? choices[0];
}
