import { useState } from 'react';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { LazyCreateKey } from '../keys/index.ts';
import { LazyCreateProject } from '../projects/index.ts';

export type StepDialog = 'project' | 'key';

/**
 * Dialogs of the first steps. They are not rendered inside the list of steps, which moves on while the dialog still
 * shows the new key.
 */
export function useStepDialogs() {
  const [dialog, setDialog] = useState<StepDialog | null>(null);
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return {
    open: (dialog: StepDialog) => {
      setDialog(dialog);
      setOpen(true);
    },
    dialogs: dialog !== null && (
      <AsyncBoundary skeleton={null}>
        {dialog === 'project' ? (
          <LazyCreateProject isOpen={isOpen} onClose={close} />
        ) : (
          <LazyCreateKey isOpen={isOpen} onClose={close} />
        )}
      </AsyncBoundary>
    ),
  };
}
