/** Lets the browser save what a service answered. */
export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has taken it by then; until it is revoked, the content stays in memory.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
