import { lazyComponent } from '../../routing/lazy-component.ts';

/** For pages that open the dialog seldom: its code is loaded then. */
export const LazyCreateProject = lazyComponent(() => import('./create-project.tsx'), 'CreateProject');
