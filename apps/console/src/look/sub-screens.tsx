// The parts of a screen that has several: links in a row, the present one marked.
import './sub-screens.css';
import type { ReactNode } from 'react';

/** @param children links; the router marks the present one with `aria-current` */
export function SubScreens({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav className="sub-screens" aria-label={label}>
      {children}
    </nav>
  );
}
