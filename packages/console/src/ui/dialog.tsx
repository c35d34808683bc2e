import { lazy, Suspense, useState } from 'react';
import type { DialogProps } from './modal';

const Modal = lazy(() => import('./modal'));

/** A dialog, which loads when it is first opened. */
export function Dialog(props: DialogProps) {
  const [isUsed, setUsed] = useState(props.isOpen);
  if (props.isOpen && !isUsed) setUsed(true);
  return (
    isUsed && (
      <Suspense>
        <Modal {...props} />
      </Suspense>
    )
  );
}
