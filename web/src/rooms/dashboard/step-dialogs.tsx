import { useState } from 'react';
import { Part } from '../../ui/part.tsx';
import { LazyCreateKey } from '../keys/index.ts';
import { LazyCreateProject } from '../projects/index.ts';

export type StepDialog = 'project' | 'key';

/**
 * Dialogs of the first steps. They are not rendered inside the list of steps, which moves on while the dialog still
 * shows the new key.
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
