import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { getLlama, LlamaLogLevel } from 'node-llama-cpp';
import { fc } from '#test/properties.ts';
import { type Accepts, promptGrammar, promptMatcher, refusal } from './grammar-matcher.fixture.ts';
import { createFollower } from './grammar-ways.fixture.ts';
import { chatPrompt } from './prompt.fixture.ts';

const llama = await getLlama({ gpu: false, build: 'never', logLevel: LlamaLogLevel.disabled });
after(() => llama.dispose());

function schemaMatcher(schema: Record<string, unknown>): Promise<Accepts> {
  return promptMatcher(llama, { responseFormat: { type: 'json_schema', schema } });
}

test('patterns match what regular expressions match', async () => {
  const patterns = [
    '^[A-Z]{2}-\\d+$',
    'foo|^bar$',
    '^$',
    '^a?b*c+$',
    '^(ab|c(d|e)?){1,3}$',
    '^[^a-c"\\\\]*$',
    '^\\w+@\\w+\\.[a-z]{2,3}$',
    '\\n',
    '^.{2,3}$',
    '^[\\s\\S]$',
    '^\\u00e9|🙂$',
    '^(?:x|(?<name>y))\\/$',
    '^[a\\-z]+?$',
    '[🙂-🙃]',
    '^(a|aa|ab|a+|a?b){2,3}$',
    'a.*a|^[^a]{2}[b-d]*d',
    '^(?=.*c)(?!.*a$)[a-d]+',
    '^(?:(?!ab|d).)*$',
    'a(?=b)|(?!x)[xy]$',
    '(^a|d)(b|c$)',
  ];
  const texts = [
    '',
    'a',
    'b',
    'AB-12',
    'AB-',
    'xfoo!',
    'bar',
    'bar1',
    'abc',
    'c',
    'abcd',
    'ababce',
    'cc',
    'x"y',
    'd\\',
    'a@b.cd',
    'a@b.c',
    '\n',
    'x\ny',
    'é',
    '🙂',
    '🙂🙃',
    'y/',
    'a-z',
    '\u2028',
  ];
  for (const pattern of patterns) {
    const accepts = await schemaMatcher({ type: 'string', pattern });
    const expression = new RegExp(pattern, 'u');
    for (const text of texts)
      assert.equal(accepts(JSON.stringify(text)), expression.test(text), `${pattern} ${JSON.stringify(text)}`);
  }
  for (const pattern of [
    '(?<!a)b',
    '(?=a(?!b))',
    '\\bfoo',
    '(a)\\1',
    '(a*)*',
    '[z-a]',
    '(',
    'a{5000}',
    '\\p{L}',
    '[]',
    'a**',
    // What could be read in a million ways.
    '^((((a{1,1000}){1,1000}){1,1000}){1,1000})$',
    '^.{1,900}.{1,900}.{1,900}$',
    'a.{30}$',
  ]) {
    assert.match(refusal({ type: 'string', pattern }), /"pattern"/, pattern);
  }
});

const expressions = fc.letrec<{ either: string }>((tie) => {
  const atom = fc.constantFrom('a', 'b', '[ab]', '[^a]', '.', 'ab', '^', '$');
  const group = tie('either').map((text) => `(?:${text})`);
  const counted = fc
    .tuple(fc.oneof(fc.constantFrom('a', 'b', '.'), group), fc.constantFrom('*', '+', '?', '{2}', '{1,3}'))
    .map((parts) => parts.join(''));
  const look = fc.tuple(fc.constantFrom('=', '!'), fc.constantFrom('a', 'b*a', '.b|a', '.{2,}$', '[^b]a', '$'));
  const ahead = look.map(([sign, text]) => `(?${sign}${text})`);
  const sequence = fc
    .array(fc.oneof({ weight: 4, arbitrary: atom }, counted, group, ahead), { maxLength: 4 })
    .map((parts) => parts.join(''));
  return {
    either: fc.array(sequence, { minLength: 1, maxLength: 2 }).map((parts) => parts.join('|')),
  };
}).either;

test('patterns with look-ahead, anchors anywhere and bounds of the length match exactly what they say', async () => {
  const texts = [
    '',
    ...'ab\n',
    ...['aa', 'ab', 'ba', 'bb', 'aab', 'aba', 'bab', 'bba', 'a\nb', 'abab', 'bbaab', 'babaab'],
  ];
  const bounds = fc.option(fc.tuple(fc.nat(3), fc.nat(3)), { freq: 2 });
  const property = fc.asyncProperty(expressions, fc.option(expressions), bounds, async (pattern, other, length) => {
    const [minLength, maxLength] = length === null ? [0, 9] : [length[0], length[0] + length[1]];
    const schema = {
      type: 'string',
      pattern,
      ...(length === null ? {} : { minLength, maxLength }),
      ...(other === null ? {} : { allOf: [{ pattern: other }] }),
    };
    const refused = refusal(schema);
    if (/"pattern"/.test(refused)) return;
    const accepts = refused === '' ? await schemaMatcher(schema) : () => false;
    const all = [pattern, ...(other === null ? [] : [other])].map((each) => new RegExp(each, 'u'));
    for (const text of texts) {
      const fits = text.length >= minLength && text.length <= maxLength && all.every((each) => each.test(text));
      assert.equal(accepts(JSON.stringify(text)), fits, `${JSON.stringify(schema)} ${JSON.stringify(text)} ${refused}`);
    }
  });
  await fc.assert(property, { numRuns: 250 });
});

test('no text is begun that can come to no end', () => {
  const schema = { type: 'string', pattern: '^(?!ababx)(ab)+[xy]$', maxLength: 6 };
  const gbnf = promptGrammar(chatPrompt({ responseFormat: { type: 'json_schema', schema } })) ?? '';
  const { start, after } = createFollower(gbnf);
  const nextOf = (text: string) => [...'abxy"'].filter((char) => after(start, `"${text}${char}`).size > 0);
  assert.deepEqual(['', 'a', 'ab', 'aba', 'abab', 'ababy', 'abx'].map(nextOf), [
    ['a'],
    ['b'],
    ['a', 'x', 'y'],
    ['b'],
    ['y'],
    ['"'],
    ['"'],
  ]);
});

test('whatever ways there are to match a pattern, llama.cpp has one to follow', () => {
  const patterns = [
    '^(a|a|aa|[a-f]+|a+)+$',
    `${'.*'.repeat(50)}a$`,
    '\\w{2,9}ing|[a-z]+ed',
    '^(a?b?c?){1,1}(a?b?c?){1,1}$',
  ];
  for (const pattern of patterns) {
    const schema = { type: 'string', pattern };
    const text = promptGrammar(chatPrompt({ responseFormat: { type: 'json_schema', schema } })) ?? '';
    const bodies = new Map(text.split('\n').map((line) => line.split(' ::= ') as [string, string]));
    const states = [...bodies].filter(([name]) => name.startsWith('pattern-'));
    assert.ok(states.length > 0);
    for (const [name, body] of states) {
      const sets = body.split(' | ').map((step) => bodies.get(step.split(' ')[0] ?? '') ?? '');
      for (const char of 'abcdefgiwz0 _-é')
        assert.ok(sets.filter((set) => charsOf(set).test(char)).length <= 1, `${pattern}: ${name} takes ${char} twice`);
    }
  }
});

test('many patterns together take no more time than one may', () => {
  const texts = Array.from({ length: 500 }, (_, at) => `^(${String.fromCodePoint(0x4e00 + at)}{1,20}){1,20}$`);
  const properties = Object.fromEntries(texts.map((pattern) => [pattern, { type: 'string', pattern }]));
  assert.match(refusal({ type: 'object', properties }), /so many ways/);
});

/** What the class in the rule of a set takes. */
function charsOf(set: string): RegExp {
  const [classes = '[]'] = /\[(?:\\.|[^\]])*\]/.exec(set) ?? [];
  return new RegExp(classes.replace(/\\U0*([0-9a-f]+)/g, '\\u{$1}'), 'u');
}
