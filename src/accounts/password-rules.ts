import { fault } from '#kernel';

export const minPasswordLength = 12;
export const maxPasswordLength = 128;

/** What can be wrong with a new password; these names are on the wire. */
const passwordRules = [
  'min_length',
  'max_length',
  'well_formed',
  'common',
  'repetitive',
  'personal',
  'unchanged',
] as const;

export type PasswordRule = (typeof passwordRules)[number];

/** What somebody who knows the person tries first. */
export type PersonalWords = { email?: string | null; slug?: string; displayName?: string };

/** Throws `invalid_request` with every rule that the password breaks in `details.rules`. */
export function checkPassword(password: string, param: string, personal: PersonalWords = {}, current?: string): void {
  const rules = brokenRules(password, personal);
  if (password === current) rules.push('unchanged');
  if (rules.length === 0) return;
  const reasons = rules.map((rule) => explanations[rule]).join('; ');
  throw fault('invalid_request', { message: `${param}: this password ${reasons}.`, param, details: { rules } });
}

const explanations: Record<PasswordRule, string> = {
  min_length: `has fewer than ${minPasswordLength} characters`,
  max_length: `has more than ${maxPasswordLength} characters`,
  well_formed: 'holds half a character',
  common: 'is among the first that attackers try',
  repetitive: 'repeats or counts up a few characters',
  personal: 'is little more than the name or the address of the account',
  unchanged: 'is the present one',
};

/** Length and guessability; never which kinds of characters, which only makes people append `1!`. */
export function brokenRules(password: string, personal: PersonalWords = {}): PasswordRule[] {
  const broken: Record<PasswordRule, boolean> = {
    min_length: password.length < minPasswordLength,
    max_length: password.length > maxPasswordLength,
    well_formed: !password.isWellFormed(),
    common: isCommon(password.slice(0, maxPasswordLength)),
    repetitive: isRepetitive(password),
    personal: isPersonal(password, personal),
    unchanged: false,
  };
  return passwordRules.filter((rule) => broken[rule]);
}

const fewCharacters = 5;

function isRepetitive(password: string): boolean {
  if (password.length === 0) return false;
  if (new Set(password).size < Math.min(fewCharacters, password.length)) return true;
  const steps = [...password].slice(1).filter((char, at) => {
    const step = char.charCodeAt(0) - password.charCodeAt(at);
    return Math.abs(step) <= 1;
  });
  return steps.length >= (password.length - 1) * 0.7;
}

const unknownPart = 8;

function isPersonal(password: string, { email, slug, displayName }: PersonalWords): boolean {
  const text = password.toLowerCase();
  const words = [email, email?.split('@')[0], slug, displayName].map((word) => word?.toLowerCase() ?? '');
  return words.some((word) => word.length >= 4 && text.includes(word) && text.length - word.length < unknownPart);
}

const disguises: Record<string, string> = {
  '@': 'a',
  '4': 'a',
  '3': 'e',
  '1': 'i',
  '!': 'i',
  '0': 'o',
  $: 's',
  '5': 's',
  '7': 't',
};

/** The words of the usual lists of leaked passwords, which come with digits around them and letters replaced. */
const commonWords = new Set(
  (
    'password passwort passwd contrasena motdepasse admin administrator root toor user guest test tester testing demo ' +
    'login master secret changeme letmein letmeinplease welcome welcomehome hello helloworld iloveyou iloveu loveyou ' +
    'qwerty qwertyuiop qwertyui qwertz qwertzuiop azerty azertyuiop asdfghjkl asdfgh zxcvbnm zxcvbn qazwsx qazwsxedc ' +
    'wasd abc abcd abcdef abcdefgh alphabet dragon monkey shadow sunshine princess football baseball basketball soccer ' +
    'hockey superman batman spiderman starwars pokemon naruto minecraft fortnite michael jordan jennifer jessica ashley ' +
    'daniel charlie thomas george harley ranger hunter killer pepper ginger cookie cheese chocolate banana orange ' +
    'flower butterfly summer winter spring autumn freedom whatever trustno trustnoone nothing forever family friends ' +
    'computer internet server database company default temp temporary access system manager service support security ' +
    'correcthorsebatterystaple fanfold'
  ).split(' '),
);

function isCommon(password: string): boolean {
  const text = password.toLowerCase();
  const bare = text.replace(/^[^a-z]+|[^a-z]+$/g, '');
  return [text, bare].some((each) => commonWords.has(once(undisguised(each))));
}

const undisguised = (text: string) =>
  [...text]
    .map((char) => disguises[char] ?? char)
    .join('')
    .replace(/[^a-z]/g, '');

/** `wordword` is `word`. */
function once(text: string): string {
  for (let length = 3; length <= text.length / 2; length++)
    if (text.length % length === 0 && text === text.slice(0, length).repeat(text.length / length))
      return text.slice(0, length);
  return text;
}
