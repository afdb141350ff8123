import { useState } from 'react';
import { lazyPage } from '../../app/lazy-page.ts';
import { Part } from '../../ui/part.tsx';

// Loaded when one of them is asked for.
const CreateProject = lazyPage(() => import('../projects/create-project.tsx'), 'CreateProject');
const CreateKey = lazyPage(() => import('../keys/create-key.tsx'), 'CreateKey');

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
          <CreateProject isOpen={isOpen} onClose={close} />
        ) : (
          <CreateKey isOpen={isOpen} onClose={close} />
        )}
      </Part>
    ),
  };
}
