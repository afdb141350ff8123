export const mostImages = 8;
export const imageTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];

export type ImageProblem = 'type' | 'count' | 'size';

/** A body has 1 MiB; the rest is for text and settings. */
const mostCharacters = 900_000;
/** Larger ones are made smaller. */
const fineCharacters = 240_000;
const longestSide = 1_024;

/** Reads images as `data:` URLs, scaled where they are large, and adds them to others. */
export async function addImageFiles(
  before: readonly string[],
  files: readonly File[],
): Promise<{ images: readonly string[]; problem: ImageProblem | null }> {
  const images = [...before];
  for (const file of files) {
    if (!imageTypes.includes(file.type)) return { images, problem: 'type' };
    if (images.length === mostImages) return { images, problem: 'count' };
    const url = await readImage(file).catch(() => null);
    if (url === null) return { images, problem: 'type' };
    if ([...images, url].join('').length > mostCharacters) return { images, problem: 'size' };
    images.push(url);
  }
  return { images, problem: null };
}

async function readImage(file: File): Promise<string> {
  const bitmap = await createImageBitmap(file);
  const url = await readAsUrl(file);
  return url.length <= fineCharacters ? url : scaled(bitmap);
}

function readAsUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

function scaled(bitmap: ImageBitmap): string {
  const factor = Math.min(1, longestSide / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(bitmap.width * factor));
  canvas.height = Math.max(1, Math.round(bitmap.height * factor));
  const context = canvas.getContext('2d');
  if (!context) throw new Error('There is no canvas.');
  // JPEG has no transparency.
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL('image/jpeg', 0.8);
}
