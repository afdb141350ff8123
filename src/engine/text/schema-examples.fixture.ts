type Example = { schema: Record<string, unknown>; good: unknown[]; bad: unknown[] };

const text = { type: 'string' };
const whole = { type: 'integer' };
const ref = (name: string) => ({ $ref: `#/$defs/${name}` });
const strict = (properties: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});

/** Schemas as people write them and libraries generate them. */
export const examples: Record<string, Example> = {
  'a linked list, of the guide to structured outputs': {
    schema: {
      $defs: {
        linked_list_node: strict({
          value: { type: 'number' },
          next: { anyOf: [ref('linked_list_node'), { type: 'null' }] },
        }),
      },
      ...strict({ linked_list: ref('linked_list_node') }),
    },
    good: [{ linked_list: { value: 1, next: { value: 2.5, next: null } } }],
    bad: [{ linked_list: { value: 1 } }, { linked_list: null }],
  },
  'a user interface that holds itself, of the guide to structured outputs': {
    schema: strict({
      type: { type: 'string', description: 'The type', enum: ['div', 'button', 'header', 'section', 'field', 'form'] },
      label: { type: 'string', description: 'The label' },
      children: { type: 'array', description: 'Nested', items: { $ref: '#' } },
      attributes: { type: 'array', items: strict({ name: text, value: text }) },
    }),
    good: [
      {
        type: 'form',
        label: 'a',
        children: [{ type: 'field', label: '', children: [], attributes: [] }],
        attributes: [{ name: 'x', value: 'y' }],
      },
    ],
    bad: [
      { type: 'div', label: 'a', children: [{}], attributes: [] },
      { type: 'table', label: '', children: [], attributes: [] },
    ],
  },
  'steps and one of two items, of the guide to structured outputs': {
    schema: strict({
      item: {
        anyOf: [
          strict({ name: { ...text, description: 'The name' }, age: { type: 'number' } }, { description: 'A user' }),
          strict({ number: text, street: text, city: text }, { description: 'An address' }),
        ],
      },
      steps: { type: 'array', items: strict({ explanation: text, output: text }) },
    }),
    good: [
      { item: { name: 'a', age: 3 }, steps: [] },
      { item: { number: '1', street: 'b', city: 'c' }, steps: [{ explanation: 'd', output: 'e' }] },
    ],
    bad: [{ item: { name: 'a', street: 'b' }, steps: [] }],
  },
  'optional fields, a map and a union of scalars, by pydantic': {
    schema: {
      type: 'object',
      title: 'Settings',
      properties: {
        name: { title: 'Name', type: 'string' },
        limit: { anyOf: [{ type: 'integer' }, { type: 'number' }, { type: 'string', maxLength: 9 }], title: 'Limit' },
        note: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null, title: 'Note' },
        tags: { additionalProperties: { items: { type: 'string' }, type: 'array' }, type: 'object', title: 'Tags' },
        since: {
          anyOf: [{ type: 'string', format: 'date-time' }, { type: 'string', format: 'date' }, { type: 'null' }],
        },
      },
      required: ['name', 'limit'],
    },
    good: [
      { name: 'a', limit: 1 },
      { name: 'a', limit: 'x', note: null, tags: { b: ['c'] }, since: '2026-01-02' },
    ],
    bad: [{ name: 'a' }, { name: 'a', limit: null }, { name: 'a', limit: 1, since: 'now' }],
  },
  'a union of models that share their first fields, by pydantic': {
    schema: {
      $defs: {
        Cat: {
          properties: { name: text, age: whole, lives: whole },
          required: ['name', 'age', 'lives'],
          type: 'object',
        },
        Dog: {
          properties: { name: text, age: whole, tricks: { type: 'array', items: text } },
          required: ['name', 'age', 'tricks'],
          type: 'object',
        },
        Fish: { properties: { name: text, age: whole }, required: ['name'], type: 'object' },
      },
      type: 'array',
      items: { anyOf: [ref('Cat'), ref('Dog'), ref('Fish')] },
    },
    good: [[{ name: 'a', age: 1, lives: 9 }, { name: 'b', age: 2, tricks: ['c'] }, { name: 'd' }]],
    bad: [[{ name: 'a', lives: 9 }], [{ name: 'a', age: 1, lives: 'x' }], [{ age: 1 }]],
  },
  'a union that a field tells apart, by pydantic': {
    schema: {
      $defs: {
        Move: {
          properties: { kind: { const: 'event.move', type: 'string' }, x: whole, y: whole },
          required: ['kind', 'x', 'y'],
          type: 'object',
        },
        Say: {
          properties: { kind: { enum: ['event.say', 'event.shout'], type: 'string' }, text },
          required: ['kind', 'text'],
          type: 'object',
        },
        Many: {
          properties: { kind: { const: 'event.many' }, events: { type: 'array', items: ref('Event') } },
          required: ['kind', 'events'],
          type: 'object',
        },
        Event: {
          discriminator: { mapping: { move: '#/$defs/Move' }, propertyName: 'kind' },
          oneOf: [ref('Move'), ref('Say'), ref('Many')],
        },
      },
      properties: { event: ref('Event') },
      required: ['event'],
      type: 'object',
    },
    good: [
      {
        event: {
          kind: 'event.many',
          events: [
            { kind: 'event.move', x: 1, y: 2 },
            { kind: 'event.shout', text: 'a' },
          ],
        },
      },
    ],
    bad: [{ event: { kind: 'event.move', text: 'a' } }, { event: { kind: 'event.other' } }],
  },
  'expressions whose kinds begin with the same members, and nothing tells apart': {
    schema: {
      $defs: {
        expression: {
          anyOf: [
            strict({ left: ref('expression'), right: ref('expression'), operator: { enum: ['+', '-'] } }),
            strict({ left: ref('expression'), right: ref('expression'), comparison: { enum: ['<', '>'] } }),
            strict({ left: ref('expression'), not: { type: 'boolean' } }),
            { type: 'number' },
          ],
        },
      },
      ...ref('expression'),
    },
    good: [{ left: { left: 1, not: true }, right: { left: 2, right: 3, operator: '+' }, comparison: '<' }],
    bad: [
      { left: 1, right: 2 },
      { left: 1, right: 2, operator: '<' },
    ],
  },
  'a node with lists of nodes or of texts': {
    schema: {
      $defs: {
        node: strict({
          children: {
            anyOf: [
              { type: 'array', items: ref('node') },
              { type: 'array', items: text },
            ],
          },
          name: text,
        }),
      },
      ...ref('node'),
    },
    good: [
      { children: [{ children: ['a', 'b'], name: 'c' }], name: 'd' },
      { children: [], name: 'd' },
    ],
    bad: [{ children: ['a', { children: [], name: '' }], name: 'd' }],
  },
  'a document whose nodes say their kind last': {
    schema: {
      $defs: {
        block: {
          anyOf: [
            strict({ content: { type: 'array', items: ref('block'), description: 'Rows' }, type: { const: 'table' } }),
            strict({
              content: { type: 'array', items: ref('block'), description: 'Parts' },
              type: { const: 'section' },
            }),
            strict({ text, type: { const: 'paragraph' } }),
          ],
        },
      },
      ...ref('block'),
    },
    good: [{ content: [{ content: [{ text: 'a', type: 'paragraph' }], type: 'section' }], type: 'table' }],
    bad: [{ content: [], type: 'paragraph' }],
  },
  'a filter of conditions within conditions': {
    schema: {
      $defs: {
        filter: {
          anyOf: [
            strict({ and: { type: 'array', items: ref('filter'), minItems: 1 } }),
            strict({ or: { type: 'array', items: ref('filter'), maxItems: 20 } }),
            strict({
              field: { enum: ['created.at', 'created.by'] },
              is: { type: ['string', 'number', 'boolean', 'null'] },
            }),
          ],
        },
      },
      ...strict({ filter: ref('filter') }),
    },
    good: [{ filter: { and: [{ or: [{ field: 'created.by', is: 'a' }] }, { field: 'created.at', is: null }] } }],
    bad: [{ filter: { and: [] } }, { filter: { field: 'created', is: 1 } }],
  },
  'any JSON value, spelled out': {
    schema: {
      $defs: {
        json: {
          anyOf: [
            text,
            { type: 'number' },
            { type: 'boolean' },
            { type: 'null' },
            { type: 'array', items: ref('json') },
            { type: 'object', additionalProperties: ref('json') },
          ],
        },
      },
      ...ref('json'),
    },
    good: [{ a: [1, { b: null }], c: 'd' }, []],
    bad: [],
  },
  'a form by zod, with a tuple, a record and a literal union': {
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      ...strict({
        size: {
          anyOf: [{ type: 'string', const: 's' }, { type: 'string', const: 'm' }, { type: 'number', const: 1 }, text],
        },
        point: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }], items: false, minItems: 2 },
        record: { type: 'object', propertyNames: { type: 'string' }, additionalProperties: { type: 'number' } },
        value: { anyOf: [{ type: 'array', items: text }, { type: 'array', items: { type: 'number' } }, { not: {} }] },
      }),
    },
    good: [{ size: 'm', point: [1, 2], record: { a: 1 }, value: [3] }],
    bad: [
      { size: 2, point: [1, 2], record: {}, value: [] },
      { size: 1, point: [1], record: {}, value: [] },
      { size: 1, point: [1, 2], record: {}, value: [1, 'a'] },
    ],
  },
  'tasks and milestones that hold each other, most of it optional': {
    schema: {
      $defs: {
        task: {
          type: 'object',
          properties: {
            title: text,
            parent: { anyOf: [ref('task'), { type: 'null' }] },
            parts: { type: 'array', items: { anyOf: [ref('task'), ref('milestone')] } },
          },
        },
        milestone: {
          type: 'object',
          properties: {
            title: text,
            due: { type: 'string', format: 'date' },
            parts: { type: 'array', items: ref('task') },
          },
          required: ['due'],
        },
      },
      ...ref('task'),
    },
    good: [
      {
        title: 'a',
        parts: [
          { title: 'b', due: '2026-01-02', parts: [{}] },
          { parent: null, parts: [] },
        ],
      },
    ],
    bad: [{ due: '2026-01-02' }, { parts: [{ due: '2026-01-02', parent: null }] }],
  },
};
