// What every screen needs: who is signed in, and the services.
import { createContext, useContext } from 'react';
import type { Api } from './api/api';
import type { Session, SignedInUser } from './session/session';
import type { Settings } from './settings';

export interface Console {
  api: Api;
  session: Session;
  settings: Settings;
  user: SignedInUser;
}

export const ConsoleContext = createContext<Console | undefined>(undefined);

export function useConsole(): Console {
  const found = useContext(ConsoleContext);
  if (!found) throw new Error('useConsole is used outside the console');
  return found;
}
