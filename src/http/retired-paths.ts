import { type Fault, fault } from '#kernel';

const calls = '(models|chat/completions|completions|embeddings)';
const projectTemplate = '/api/projects/{owner}/{project}/openai/v1';

type Rule = { pattern: RegExp; successor: (match: RegExpExecArray) => string };

/** OpenAI-shaped paths without a project or a version, and account paths without a version (interface 9.5). */
const rules: readonly Rule[] = [
  {
    pattern: new RegExp(`^(/api/projects/[^/]+/[^/]+/openai)/${calls}$`),
    successor: ([, prefix, call]) => `${prefix}/v1/${call}`,
  },
  { pattern: new RegExp(`^(?:/openai)?/v1/${calls}$`), successor: ([, call]) => `${projectTemplate}/${call}` },
  { pattern: /^\/api\/((?:keys|me)(?:\/.*)?|base-models)$/, successor: ([, rest]) => `/api/v1/${rest}` },
];

/** The path that took the place of a retired one; null for every other path. */
export function successorOf(path: string): string | null {
  for (const { pattern, successor } of rules) {
    const match = pattern.exec(path);
    if (match) return inHeader(successor(match));
  }
  return null;
}

/** The fault that tells a caller of a retired path where to go. */
export function retired(successor: string): Fault {
  return fault('api_version_required', {
    message: `This path is retired; use ${successor}.`,
    detail: { code: 'api_version_required', message: 'This path is retired.', successor },
    headers: { link: `<${successor}>; rel="successor-version"` },
  });
}

/** A path comes from the caller as it is; in a Link header only the characters of a URI may stand. */
function inHeader(path: string): string {
  return path.replace(
    /[^A-Za-z0-9\-._~!$&'()*+,;=:@%/{}]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}
