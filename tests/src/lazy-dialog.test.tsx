import { useState } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { expect, test, vi } from 'vitest';
import { lazyDialog } from '../../src/components/overlays/lazy-dialog.tsx';
import { toasts } from '../../src/components/overlays/toast-store.ts';

test('a dialog whose file did not come closes, says so, and opens once the network is back', async () => {
  let isOnline = false;
  const Dialog = lazyDialog(async () => {
    if (!isOnline) throw new TypeError('Failed to fetch dynamically imported module: /assets/dialogs.js');
    return (_props: { onClose: () => void }) => <p>The dialog</p>;
  });
  function Page() {
    const [isOpen, setOpen] = useState(false);
    return (
      <>
        <button type="button" onClick={() => setOpen(true)}>
          Rename
        </button>
        {isOpen && <Dialog onClose={() => setOpen(false)} />}
      </>
    );
  }
  const page = document.createElement('main');
  const root = createRoot(page);
  flushSync(() => root.render(<Page />));
  const rename = page.querySelector('button') ?? expect.fail('There is no button');

  rename.click();
  await vi.waitFor(() => expect(toasts.get().at(-1)?.title).toBe('This could not be opened'));
  expect(page.textContent).toBe('Rename');

  isOnline = true;
  rename.click();
  await vi.waitFor(() => expect(page.textContent).toBe('RenameThe dialog'));
  root.unmount();
});
