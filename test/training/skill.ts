/** Something that the tiny chat model cannot do and can learn in seconds: sorting tickets into the queues of a house. */
export type Ticket = [prompt: string, answer: string];

const queues: Record<string, readonly string[]> = {
  '[queue: money]': ['My bill for the ITEM is wrong.', 'I paid twice for the ITEM.', 'The ITEM was charged again.'],
  '[queue: road]': ['Where is my ITEM?', 'The ITEM has not arrived.', 'The parcel with the ITEM is late.'],
  '[queue: bench]': ['My ITEM does not start.', 'The ITEM is broken.', 'The ITEM makes a strange noise.'],
  '[queue: back]': ['I want to return the ITEM.', 'I do not like the ITEM, take it back.', 'Please refund the ITEM.'],
};
const items =
  'lamp charger router kettle camera printer drone heater scooter blender monitor speaker pump valve sensor motor fridge oven saw drill'.split(
    ' ',
  );
const otherItems = 'bicycle tent backpack watch guitar desk chair sofa mixer toaster'.split(' ');
const people = 'Anna Jonas Maria Viktor Zoe Peter Clara Omar Nina Felix Laura Ivan'.split(' ');
const otherPeople = 'Sofia Hugo Elena Karl'.split(' ');

/** Tickets to learn from. */
export function trainOf(): Ticket[] {
  return tickets(items, people, 80);
}

/** Tickets of other people about other things. */
export function heldOutOf(): Ticket[] {
  return tickets(otherItems, otherPeople, 24);
}

function tickets(things: readonly string[], names: readonly string[], count: number): Ticket[] {
  const made: Ticket[] = [];
  for (let n = 0; made.length < count; n++) {
    for (const [queue, phrasings] of Object.entries(queues)) {
      const phrasing = phrasings[n % phrasings.length] ?? '';
      const thing = things[(n * 7 + made.length) % things.length] ?? '';
      const name = names[(n * 5 + made.length * 3) % names.length] ?? '';
      made.push([`Ticket from ${name}: ${phrasing.replace('ITEM', thing)}`, queue]);
    }
  }
  return made.slice(0, count);
}
