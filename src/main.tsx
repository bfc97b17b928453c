import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { followSession } from './follow-session.ts';

/** Called by the guard in start.ts; an error here ends in the 'Critical Error' panel. */
export function startApp(): void {
  const root = document.getElementById('root');
  if (root === null) throw new Error('The page has no root element.');
  // Dialogs, menus and selects write a <style> that locks scrolling; the policy allows it by this page's nonce.
  const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce;
  if (nonce) setNonce(nonce);
  followSession();
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
