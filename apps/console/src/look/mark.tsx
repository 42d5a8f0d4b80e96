/** The mark of the platform, as on identity's pages. */
export function Mark() {
  return (
    <svg
      viewBox="0 0 32 32"
      aria-hidden="true"
      focusable="false"
      fill="none"
      stroke="currentColor"
      strokeWidth="2.6"
      strokeLinecap="round"
    >
      <path d="M3 12h15.5a4.5 4.5 0 1 0-4.2-6" />
      <path d="M3 17.5h22a4 4 0 1 1-3.7 5.5" />
      <path d="M3 23h10.5a3.2 3.2 0 1 1-3 4.3" />
    </svg>
  );
}
