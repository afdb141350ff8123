import { fault } from '#kernel';

const maxLength = 254;
/** What mail servers take in practice, in ASCII: letters that merely look like these make no second address. */
const pattern = /^(?!\.)(?!.*\.\.)[A-Za-z0-9_'+\-.]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/;

/** The one spelling under which an address is stored and looked up; null when the text is no address. */
export function foldEmail(text: string): string | null {
  return text.length <= maxLength && pattern.test(text) ? text.toLowerCase() : null;
}

export function checkEmail(text: string): string {
  const email = foldEmail(text);
  if (email !== null) return email;
  throw fault('invalid_request', {
    message: 'email: expected an e-mail address such as ada@example.com.',
    param: 'email',
  });
}
