// A dialog with its name, and a button that closes it. Mantine's own title bar is a `header`, which would be a second
// banner of the page.
import { CloseButton, Group, Modal } from '@mantine/core';
import type { ReactNode } from 'react';

export function Dialog({
  title,
  size = 'md',
  isKept = false,
  onClose,
  children,
}: {
  title: string;
  size?: 'md' | 'lg';
  /** Whether a click beside it leaves it open: what it shows is shown once. */
  isKept?: boolean;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Modal.Root opened onClose={onClose} size={size} closeOnClickOutside={!isKept}>
      <Modal.Overlay />
      <Modal.Content>
        <Modal.Body pt="md">
          <Group justify="space-between" wrap="nowrap" mb="md" align="flex-start">
            <Modal.Title fz="lg" fw={650}>
              {title}
            </Modal.Title>
            <CloseButton aria-label="Close" onClick={onClose} />
          </Group>
          {children}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
