import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../api/session.ts';
import { lazyComponent } from '../routing/lazy-component.ts';
import { Frame } from './frame/frame.tsx';

const PlainFrame = lazyComponent(() => import('./plain-frame.tsx'), 'PlainFrame');

/** The layout around pages that everybody may open. */
export function OpenFrame() {
  const { data: session } = useQuery(sessionQuery);
  return session ? <Frame /> : <PlainFrame />;
}
