import { useState } from 'react';
import { Part } from '../../ui/part.tsx';
import { LazyCreateKey } from '../keys/index.ts';
import { LazyCreateProject } from '../projects/index.ts';

export type StepDialog = 'project' | 'key';

/**
 * Dialogs of the first steps. Not inside the list of steps: that goes on as soon as a key is made, while the dialog still
 * shows the key, this once.
 */
export function useStepDialogs() {
  const [asked, setAsked] = useState<StepDialog | null>(null);
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return {
    open: (dialog: StepDialog) => {
      setAsked(dialog);
      setOpen(true);
    },
    dialogs: asked !== null && (
      <Part skeleton={null}>
        {asked === 'project' ? (
          <LazyCreateProject isOpen={isOpen} onClose={close} />
        ) : (
          <LazyCreateKey isOpen={isOpen} onClose={close} />
        )}
      </Part>
    ),
  };
}
