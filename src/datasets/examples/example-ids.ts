import { newId } from '#kernel';

const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const counted = 7;

/** Makes ids of examples that ascend in the order in which they are made. */
export function exampleIds(): () => string {
  const head = newId('ex').slice(0, -counted);
  let next = 0;
  return () => {
    let rest = next++;
    let tail = '';
    for (let place = 0; place < counted; place++) {
      tail = digits.charAt(rest % digits.length) + tail;
      rest = Math.floor(rest / digits.length);
    }
    return head + tail;
  };
}
