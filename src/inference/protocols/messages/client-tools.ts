import type { ToolDefinition } from '#engine';

type Property = Record<string, unknown> & { description: string };

const text = (description: string): Property => ({ type: 'string', description });
const line = (description: string): Property => ({ type: 'integer', description });
const path = text('Absolute path of the file or folder.');
const viewRange: Property = {
  type: 'array',
  items: { type: 'integer' },
  minItems: 2,
  maxItems: 2,
  description: 'With view: first and last line, counted from 1; -1 is the end of the file.',
};

const editing = {
  file_text: text('With create: the text of the file.'),
  old_str: text('With str_replace: the text to replace, which occurs exactly once.'),
  insert_line: line('With insert: the line after which to insert; 0 is the beginning.'),
  view_range: viewRange,
};

const withCommand = (commands: readonly string[], properties: Record<string, Property>, required: string[]) => ({
  type: 'object',
  properties: { command: { type: 'string', enum: commands, description: 'What to do.' }, ...properties },
  required: ['command', ...required],
});

const bash = {
  type: 'object',
  properties: {
    command: text('The command to run.'),
    restart: { type: 'boolean', description: 'true: start the shell anew, without a command.' },
  },
};

const memory = withCommand(
  ['view', 'create', 'str_replace', 'insert', 'delete', 'rename'],
  {
    path: text('Path below /memories; not with rename.'),
    ...editing,
    new_str: text('With str_replace: what takes its place.'),
    insert_text: text('With insert: the text to insert.'),
    old_path: text('With rename: the path so far.'),
    new_path: text('With rename: the new path.'),
  },
  [],
);

/** From 2025-04-29 on the tool cannot undo. Before, what to insert had another name. */
function textEditor(version: string) {
  return version >= '20250429'
    ? withCommand(
        ['view', 'create', 'str_replace', 'insert'],
        {
          path,
          ...editing,
          new_str: text('With str_replace: what takes its place.'),
          insert_text: text('With insert: the text to insert.'),
        },
        ['path'],
      )
    : withCommand(
        ['view', 'create', 'str_replace', 'insert', 'undo_edit'],
        { path, ...editing, new_str: text('With str_replace and insert: the new text.') },
        ['path'],
      );
}

type ClientTool = { name: string; description: string; parameters: (version: string) => Record<string, unknown> };

const clientTools: Readonly<Record<string, ClientTool>> = {
  bash: {
    name: 'bash',
    description: 'Runs commands in a shell that stays open, and returns what they print.',
    parameters: () => bash,
  },
  text_editor: {
    name: 'str_replace_based_edit_tool',
    description: 'Views, creates and edits files.',
    parameters: textEditor,
  },
  memory: {
    name: 'memory',
    description:
      'Keeps files below /memories that outlast the conversation. View them before a task, and note what is worth it.',
    parameters: () => memory,
  },
};

/** A tool that Anthropic defines and clients run, as a function; null when it is none. */
export function clientTool(type: string, name: string | null): ToolDefinition | null {
  const [, family = '', version = ''] = /^([a-z_]+)_(\d{8})$/.exec(type) ?? [];
  const tool = Object.hasOwn(clientTools, family) ? clientTools[family] : undefined;
  if (!tool) return null;
  return { name: name ?? tool.name, description: tool.description, parameters: tool.parameters(version) };
}
