export type IssueCode =
  | 'bad_json'
  | 'bad_encoding'
  | 'missing_field'
  | 'wrong_type'
  | 'empty_text'
  | 'last_message_not_assistant'
  | 'unknown_role'
  | 'tool_arguments_invalid'
  | 'tool_unknown'
  | 'over_token_limit'
  | 'not_learnable'
  | 'too_large'
  | 'duplicate'
  | 'duplicate_in_file'
  | 'positive_equals_negative'
  | 'positive_missing';

export type Issue = {
  code: IssueCode;
  /** Where in the example, as a JSON pointer (RFC 6901); empty for the whole of it. */
  pointer: string;
  message: string;
  /** What to do about it, where that is not obvious. */
  hint: string | null;
};

/** All others say that an example cannot train anything; these are worth a look. */
const harmless: ReadonlySet<IssueCode> = new Set([
  'over_token_limit',
  'not_learnable',
  'duplicate',
  'duplicate_in_file',
]);

export function isFatal({ code }: Issue): boolean {
  return !harmless.has(code);
}

export class IssueList {
  readonly issues: Issue[] = [];

  add(code: IssueCode, pointer: string, message: string, hint: string | null = null): void {
    if (this.issues.length < maxIssues) this.issues.push({ code, pointer, message, hint });
  }
}

const maxIssues = 20;
