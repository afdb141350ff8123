import { type GgufBytes, GgufError } from './bytes.ts';
import { quoted } from './quoted.ts';

export const mostTensors = 65_536;
const mostNameBytes = 128;
const mostDimensions = 4;

/**
 * Elements per block and bytes per block of ggml's tensor types, by type id (ggml.h). A type that is not here is newer
 * than this table: only its offset is checked, and llama.cpp decides whether it knows it.
 */
const tensorTypes = new Map<number, readonly [elements: number, bytes: number]>([
  [0, [1, 4]],
  [1, [1, 2]],
  [2, [32, 18]],
  [3, [32, 20]],
  [6, [32, 22]],
  [7, [32, 24]],
  [8, [32, 34]],
  [9, [32, 36]],
  [10, [256, 84]],
  [11, [256, 110]],
  [12, [256, 144]],
  [13, [256, 176]],
  [14, [256, 210]],
  [15, [256, 292]],
  [16, [256, 66]],
  [17, [256, 74]],
  [18, [256, 98]],
  [19, [256, 50]],
  [20, [32, 18]],
  [21, [256, 110]],
  [22, [256, 82]],
  [23, [256, 136]],
  [24, [1, 1]],
  [25, [1, 2]],
  [26, [1, 4]],
  [27, [1, 8]],
  [28, [1, 8]],
  [29, [256, 56]],
  [30, [1, 2]],
  [34, [256, 54]],
  [35, [256, 66]],
  [39, [32, 17]],
]);

/** Reads the list of tensors: the sum of their elements, and the bytes that they take behind the header. */
export function readGgufTensors(bytes: GgufBytes, tensorCount: number): { parameters: number; dataBytes: number } {
  const names = new Set<string>();
  let parameters = 0;
  let dataBytes = 0;
  for (let i = 0; i < tensorCount; i++) {
    const name = bytes.string(mostNameBytes, 'a tensor name');
    if (names.has(name)) throw new GgufError('unsound', `${bytes.file}: the tensor ${quoted(name)} occurs twice.`);
    names.add(name);
    const elements = readElementCount(bytes, name);
    const [blockElements, blockBytes] = tensorTypes.get(bytes.u32()) ?? [1, 0];
    const offset = bytes.count(Number.MAX_SAFE_INTEGER, `the offset of ${quoted(name)}`);
    parameters += elements;
    dataBytes = Math.max(dataBytes, offset + Math.ceil(elements / blockElements) * blockBytes);
  }
  return { parameters, dataBytes };
}

function readElementCount(bytes: GgufBytes, name: string): number {
  const { file } = bytes;
  const dimensions = bytes.u32();
  if (dimensions === 0 || dimensions > mostDimensions) {
    throw new GgufError(
      'unsound',
      `${file}: the tensor ${quoted(name)} has ${dimensions} dimensions; the file is damaged.`,
    );
  }
  let elements = 1;
  for (let i = 0; i < dimensions; i++) elements *= bytes.count(2 ** 40, `a dimension of ${quoted(name)}`);
  if (elements === 0 || elements > Number.MAX_SAFE_INTEGER) {
    throw new GgufError('unsound', `${file}: the tensor ${quoted(name)} has an impossible shape; the file is damaged.`);
  }
  return elements;
}
