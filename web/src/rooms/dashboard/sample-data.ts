const cities = ['Oslo', 'Lima', 'Cairo', 'Hanoi', 'Perth', 'Quito', 'Turin', 'Delhi', 'Minsk', 'Accra'];
const items = ['a lamp', 'a blender', 'a printer'];

/** Conversations that teach a tone: each order is confirmed in the same form. */
export function sampleData(): string {
  const examples = cities.flatMap((city) =>
    items.map((item) => ({
      messages: [
        { role: 'user', content: `I would like to order ${item} to ${city}.` },
        { role: 'assistant', content: `Order noted: ${item.slice(2)}. Delivery to ${city}. Thank you!` },
      ],
    })),
  );
  return `${examples.map((example) => JSON.stringify(example)).join('\n')}\n`;
}
