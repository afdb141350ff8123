import { isApart, type Member, type ObjectForm } from './object-form.ts';

/** An object of this form of which the members before the place `at` are written or left out. */
type Thread = { form: ObjectForm; at: number };

/** What an object can be at: any of these. No form is there twice. */
export type ObjectState = readonly Thread[];

/** Where the key of a member leads, and what its value must be there. */
export type Step = { schema: unknown; to: Thread };

export type Steps = {
  named: ReadonlyMap<string, readonly Step[]>;
  /** Keys that are none of `taken`. */
  others: readonly Step[];
  taken: readonly string[];
};

export function stateKey(state: ObjectState): string {
  return state.map(({ form, at }) => `${form.id}.${at}`).join();
}

export function startOf(forms: readonly ObjectForm[]): ObjectState {
  return forms.map((form) => ({ form, at: 0 }));
}

/** Objects are read together, but for those whose members are counted or whose keys have a form. */
export function startsOf(forms: readonly ObjectForm[]): ObjectState[] {
  const together = forms.filter((form) => !isApart(form)).sort((a, b) => a.id - b.id);
  return [
    ...(together.length === 0 ? [] : [startOf(together)]),
    ...forms.filter(isApart).map((form) => startOf([form])),
  ];
}

export function mayEnd(state: ObjectState): boolean {
  return state.some(isComplete);
}

export function mayGoOn(state: ObjectState): boolean {
  return state.some(({ form, at }) => at < form.members.length || form.others !== null);
}

/** Where it is the same member that all of them go on with or leave out: what they are behind it; otherwise null. */
export function leavingOut(state: ObjectState): { next: Member; steps: Step[]; to: ObjectState } | null {
  const members = state.map(({ form, at }) => form.members[at]);
  const [next] = members;
  if (next === undefined || members.some((member) => member?.name !== next.name || member.required)) return null;
  const to = state.map(({ form, at }) => ({ form, at: at + 1 }));
  return { next, steps: to.map((thread, index) => ({ schema: members[index]?.schema, to: thread })), to };
}

export function stepsOf(state: ObjectState): Steps {
  const named = new Map<string, Step[]>();
  const add = (name: string, step: Step): void => {
    const known = named.get(name);
    if (known === undefined) named.set(name, [step]);
    else known.push(step);
  };
  const open: { others: { schema: unknown }; to: Thread; names: ReadonlySet<string> }[] = [];
  for (const { form, at } of state) {
    for (let place = at; place < form.members.length; place += 1) {
      const member = form.members[place];
      if (member === undefined) break;
      add(member.name, { schema: member.schema, to: { form, at: place + 1 } });
      if (member.required) break;
    }
    if (form.others !== null && isComplete({ form, at }))
      open.push({ others: form.others, to: { form, at: form.members.length }, names: form.names });
  }
  // A name that is known to one form may be any other's further member.
  const taken = new Set([...named.keys(), ...open.flatMap(({ names }) => [...names])]);
  for (const { others, to, names } of open)
    for (const name of taken) if (!names.has(name) && isPlain(name)) add(name, { schema: others.schema, to });
  return {
    named: new Map([...named].map(([name, steps]) => [name, inOrder(steps)])),
    others: open.map(({ others, to }) => ({ schema: others.schema, to })),
    taken: [...taken],
  };
}

function isComplete({ form, at }: Thread): boolean {
  return at >= form.optionalFrom;
}

/** Other keys are written without escapes. */
function isPlain(name: string): boolean {
  return JSON.stringify(name).length === name.length + 2;
}

function inOrder(steps: readonly Step[]): Step[] {
  return [...steps].sort((a, b) => a.to.form.id - b.to.form.id);
}
