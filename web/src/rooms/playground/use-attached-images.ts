import { useState } from 'react';
import type { ImageProblem } from './image-files.ts';

/** Images that wait to be sent, as `data:` URLs. */
export function useAttachedImages() {
  const [images, setImages] = useState<readonly string[]>([]);
  const [problem, setProblem] = useState<ImageProblem | null>(null);
  return {
    images,
    problem,
    /** False: there are no files among what was pasted or dropped. */
    add(files: Iterable<File>): boolean {
      const found = [...files];
      if (found.length === 0) return false;
      void import('./image-files.ts')
        .then(({ addImageFiles }) => addImageFiles(images, found))
        .then((added) => {
          setImages(added.images);
          setProblem(added.problem);
        });
      return true;
    },
    remove(at: number): void {
      setImages(images.filter((_, index) => index !== at));
      setProblem(null);
    },
    set(next: readonly string[]): void {
      setImages(next);
      setProblem(null);
    },
  };
}

export type Attached = ReturnType<typeof useAttachedImages>;
