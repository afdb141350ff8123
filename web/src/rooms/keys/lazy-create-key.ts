import { lazyComponent } from '../../routing/lazy-component.ts';

/** Loaded when the dialog is first opened. */
export const LazyCreateKey = lazyComponent(() => import('./create-key.tsx'), 'CreateKey');
