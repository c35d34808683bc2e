import { CloseButton, Group, Modal, Title } from '@mantine/core';
import type { ModalProps } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { useText } from '../messages/text';

export interface DialogProps {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  size?: ModalProps['size'];
  children: ReactNode;
}

/** The dialog of every form and question. */
export default function DialogModal({ title, isOpen, onClose, size, children }: DialogProps) {
  const { text } = useText();
  // It returns the focus only if it has been closed before.
  const [isShown, show] = useState(false);
  useEffect(() => show(isOpen), [isOpen]);
  return (
    // Locking the scroll position needs inline styles, which the policy of the server forbids.
    <Modal.Root opened={isShown} onClose={onClose} size={size} lockScroll={false} transitionProps={{ duration: 0 }}>
      <Modal.Overlay />
      <Modal.Content aria-label={title}>
        <Modal.Body>
          <Group justify="space-between" mb="md">
            <Title order={2} size="h4">
              {title}
            </Title>
            <CloseButton aria-label={text('form.close')} onClick={onClose} />
          </Group>
          {children}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
