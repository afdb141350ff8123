import { task } from './task.ts';

/** A function that a program lets the model call. */
export type Tool = { name: string; parameters?: { properties?: Record<string, Property> } };
type Property = { type?: string | string[]; items?: { type?: string; properties?: Record<string, Property> } };

export type NextStep =
  | { type: 'call'; name: string; arguments: Record<string, unknown> }
  | { type: 'text'; text: string };

/** What to do next in the task, with the tools that there are and by how many calls were answered. */
export function nextStep(tools: readonly Tool[], results: number): NextStep {
  // Programs ask for titles and summaries without tools.
  if (tools.length === 0) return { type: 'text', text: 'Mend a sum' };
  const step = [read, edit, test][results];
  const call = step?.(tools);
  if (call) return call;
  const end = tools.find(({ name }) => name === 'attempt_completion');
  if (end) return { type: 'call', name: end.name, arguments: { result: 'The sum is right and its test passes.' } };
  return { type: 'text', text: step ? 'There is no tool for the next step.' : 'The sum is right and its test passes.' };
}

function read(tools: readonly Tool[]): NextStep | null {
  const tool = find(tools, /^(read|read_file|read_files|view)$/i);
  return tool ? callOf(tool, { path: task.path() }) : shell(tools, `cat ${task.file}`);
}

function edit(tools: readonly Tool[]): NextStep | null {
  const patch = find(tools, /^apply_patch$/i);
  if (patch) return callOf(patch, { patch: patchText() });
  const tool = find(tools, /^(edit|edit_file|str_replace|replace|replace_in_file|editor)$/i);
  if (tool) return callOf(tool, { path: task.path(), old: task.wrong, new: task.right });
  return shell(tools, `sed -i 's/${task.wrong}/${task.right}/' ${task.file}`);
}

const test = (tools: readonly Tool[]): NextStep | null => shell(tools, task.command);

function patchText(): string {
  const [wrong, right] = [task.source, task.source.replace(task.wrong, task.right)].map((text) => text.trimEnd());
  return `*** Begin Patch\n*** Update File: ${task.file}\n@@\n-${wrong}\n+${right}\n*** End Patch\n`;
}

function shell(tools: readonly Tool[], command: string): NextStep | null {
  const tool = find(
    tools,
    /^(bash|shell|exec_command|shell_command|local_shell|run_shell_command|execute_command|run_commands?)$/i,
  );
  if (tool) return callOf(tool, { command });
  // Codex lets models that it knows write programs which call its tools.
  const code = find(tools, /^functions__exec$/);
  return code ? callOf(code, { patch: `text(await tools.exec_command({ cmd: ${JSON.stringify(command)} }));` }) : null;
}

const find = (tools: readonly Tool[], name: RegExp) => tools.find((tool) => name.test(tool.name));

/** What programs call the parts of a call. */
const namesOf = {
  path: /^(file_?path|path|absolute_?path|file_?paths|paths|files)$/i,
  old: /^(old_?(string|str|text)|search)$/i,
  new: /^(new_?(string|str|text)|replace|insert_text)$/i,
  command: /^(command|cmd|commands)$/i,
  patch: /^(input|patch|patch_?text)$/i,
  description: /^description$/i,
};

function callOf({ name, parameters }: Tool, values: Partial<Record<keyof typeof namesOf, string>>): NextStep {
  const given: Record<string, unknown> = {};
  // as: `entries` forgets the keys.
  for (const [property, schema] of Object.entries(parameters?.properties ?? {}))
    for (const [meaning, value] of Object.entries({ description: 'Next step', ...values }))
      if (namesOf[meaning as keyof typeof namesOf].test(property)) given[property] = inForm(value, schema);
  return { type: 'call', name, arguments: given };
}

/** Some tools take a list of paths or commands, of texts or of objects. */
function inForm(value: string, { type, items }: Property): unknown {
  if (type !== 'array') return value;
  const [name] = Object.keys(items?.properties ?? {});
  if (name !== undefined) return [{ [name]: value }];
  return [value];
}
