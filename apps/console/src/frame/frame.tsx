// What is around every screen: the bar, the menu, and the place of the screen.
import { Button, Group, Text } from '@mantine/core';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useConsole } from '../console-context';
import { putKeyAway } from '../data/key-in-use';
import { Mark } from '../look/mark';

const entries = [
  { to: '/', label: 'Overview', roles: ['USER', 'ANALYST', 'ADMIN'] },
  { to: '/jobs', label: 'Jobs', roles: ['ANALYST', 'ADMIN'] },
  { to: '/months', label: 'Months', roles: ['ANALYST', 'ADMIN'] },
  { to: '/data', label: 'Data', roles: ['USER', 'ANALYST', 'ADMIN'] },
  { to: '/keys', label: 'Keys and usage', roles: ['USER', 'ANALYST', 'ADMIN'] },
  { to: '/users', label: 'Users', roles: ['ADMIN'] },
  { to: '/sessions', label: 'Sessions', roles: ['ADMIN'] },
  { to: '/applications', label: 'Applications', roles: ['ADMIN'], isOfAllCompanies: true },
  { to: '/signing-keys', label: 'Signing keys', roles: ['ADMIN'], isOfAllCompanies: true },
  { to: '/audit', label: 'Audit', roles: ['ADMIN'], isOfAllCompanies: true },
] as const;

/** Longest wait for the end of the key of the Data screen, milliseconds. */
const revokeMsMax = 2_000;

export function Frame() {
  const { api, user, session } = useConsole();
  const [isMenuOpen, setIsMenuOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const shown = useRef(path);
  useEffect(() => {
    setIsMenuOpen(false);
    // A screen reader goes on with the new screen.
    if (shown.current !== path) main.current?.focus();
    shown.current = path;
  }, [path]);
  const signOut = async () => {
    const isLate = new Promise((resolve) => setTimeout(resolve, revokeMsMax));
    // The key ends within a day anyway, so a service that does not answer keeps nobody here.
    await Promise.race([putKeyAway(api).catch(() => undefined), isLate]);
    session.signOut();
  };
  return (
    <div className="frame">
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <header className="frame-bar">
        <Link to="/" className="brand">
          <Mark />
          <span>Tradewind</span>
        </Link>
        <Group ml="auto" gap="sm" wrap="nowrap">
          <Text size="sm" className="only-wide">
            {user.email}
          </Text>
          <Button variant="default" size="xs" onClick={() => void signOut()}>
            Sign out
          </Button>
          <Button
            className="menu-button"
            variant="default"
            size="xs"
            aria-expanded={isMenuOpen}
            aria-controls="menu"
            onClick={() => setIsMenuOpen(!isMenuOpen)}
          >
            Menu
          </Button>
        </Group>
      </header>
      <nav className="frame-menu" id="menu" aria-label="Screens" data-open={isMenuOpen}>
        <ul>
          {entries
            .filter(({ roles }) => (roles as readonly string[]).includes(user.role))
            // Not for an administrator who belongs to a company.
            .filter((entry) => !('isOfAllCompanies' in entry) || user.companyId === undefined)
            .map(({ to, label }) => (
              <li key={to}>
                <Link to={to} activeOptions={{ exact: to === '/', includeSearch: false }}>
                  {label}
                </Link>
              </li>
            ))}
        </ul>
      </nav>
      <main className="frame-main" id="main" tabIndex={-1} ref={main}>
        <Outlet />
      </main>
    </div>
  );
}
