import { lazyComponent } from '../../routing/lazy-component.ts';

/** Loaded when the dialog is first opened. */
export const LazyCreateProject = lazyComponent(() => import('./create-project.tsx'), 'CreateProject');
