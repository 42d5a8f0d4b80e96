// Starts the console: settings, then the session, then the screens.
import './look/components.css';
import './look/look.css';
import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiError, createApi } from './api/api';
import { ConsoleContext } from './console-context';
import { FailurePage, SignInPage } from './frame/pages-of-one';
import { cssVariables, theme } from './look/theme';
import { createConsoleRouter } from './routes';
import { Session, SignInError } from './session/session';
import { readSettings, type Settings } from './settings';

type State =
  | { kind: 'signed-out'; session: Session; reason?: string }
  | { kind: 'signed-in'; session: Session; settings: Settings }
  | { kind: 'leaving' };

const here = () => location.pathname + location.search;

async function start(): Promise<State> {
  const settings = await readSettings();
  const session = await Session.open(settings);
  if (location.pathname === '/signed-in') {
    try {
      const from = await session.finishSignIn(new URL(location.href));
      history.replaceState(null, '', from);
      return { kind: 'signed-in', session, settings };
    } catch (error) {
      history.replaceState(null, '', '/');
      if (!(error instanceof SignInError)) throw error;
      return { kind: 'signed-out', session, reason: error.message };
    }
  }
  if (!session.wasSignedIn) return { kind: 'signed-out', session };
  await session.signIn(here());
  return { kind: 'leaving' };
}

function retries(count: number, error: Error): boolean {
  return count < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 502);
}

function ConsoleApp({ first }: { first: State }) {
  const [state, setState] = useState(first);
  if (state.kind === 'leaving') return null;
  const { session } = state;
  if (state.kind === 'signed-out') {
    return <SignInPage reason={state.reason} onSignIn={() => void session.signIn(here())} />;
  }
  session.onEnd = () =>
    setState({ kind: 'signed-out', session, reason: 'Your sign-in has ended. Please sign in again.' });
  return <SignedIn session={session} settings={state.settings} />;
}

function SignedIn({ session, settings }: { session: Session; settings: Settings }) {
  const [parts] = useState(() => ({
    context: { api: createApi(session, settings), session, settings, user: session.user! },
    queries: new QueryClient({ defaultOptions: { queries: { retry: retries, staleTime: 5000 } } }),
    router: createConsoleRouter(),
  }));
  return (
    <ConsoleContext.Provider value={parts.context}>
      <QueryClientProvider client={parts.queries}>
        <RouterProvider router={parts.router} />
      </QueryClientProvider>
    </ConsoleContext.Provider>
  );
}

const root = createRoot(document.getElementById('root')!);
const show = (page: React.ReactNode) =>
  root.render(
    <StrictMode>
      <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
        {page}
      </MantineProvider>
    </StrictMode>,
  );

start().then(
  (state) => show(<ConsoleApp first={state} />),
  (error: unknown) => show(<FailurePage message={error instanceof Error ? error.message : String(error)} />),
);
