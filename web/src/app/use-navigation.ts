import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../api/session.ts';
import { type NavItem, navigationOf } from './navigation.ts';

/** The entries of the side bar for the account that is signed in. */
export function useNavigation(): readonly NavItem[] {
  const { data: session } = useQuery(sessionQuery);
  return navigationOf(session?.account.role);
}
