/**
 * Guards the start of the app: it imports nothing statically, so that it works when the app does not. Any failure
 * before the first render ends in the 'Critical Error' panel.
 */
async function start(): Promise<void> {
  enableTrustedTypes();
  probeStorage(localStorage);
  probeStorage(sessionStorage);
  for (const needed of ['fetch', 'URL', 'AbortController', 'WebSocket', 'Intl', 'ReadableStream']) {
    if (!(needed in globalThis)) throw new Error(`This browser has no ${needed}.`);
  }
  const { startApp } = await import('./main.tsx');
  startApp();
}

/**
 * Sets the one policy of Trusted Types; browsers without them only have the content security policy of the page.
 * Scripts come from this origin alone: workers, and the files of the build's loader. Markup contains no element: Radix
 * writes the rules of a `<style>` in this way.
 */
function enableTrustedTypes(): void {
  window.trustedTypes?.createPolicy('default', {
    createHTML(markup) {
      if (!markup.includes('<')) return markup;
      throw new TypeError('HTML from a string is refused.');
    },
    createScriptURL(url) {
      if (new URL(url, location.href).origin === location.origin) return url;
      throw new TypeError(`A script from ${url} is refused.`);
    },
  });
}

/** Tries to write: reading can work where writing throws (a full or forbidden storage). */
function probeStorage(storage: Storage): void {
  storage.setItem('fairlead.probe', '1');
  storage.removeItem('fairlead.probe');
}

function showCriticalError(cause: unknown): void {
  const panel = element('div', 'mx-auto my-16 w-full max-w-form rounded-card border border-line bg-surface-raised p-6');
  panel.setAttribute('role', 'alert');
  const details = element('details', 'mt-4 text-sm text-ink-muted');
  details.append(
    element('summary', 'cursor-pointer', 'Technical details'),
    element('pre', 'mt-2 font-mono text-xs whitespace-pre-wrap wrap-anywhere', String(cause)),
  );
  const reload = element(
    'button',
    'mt-5 h-control rounded-control bg-accent px-3.5 text-base font-medium text-accent-ink',
    'Reload Application',
  );
  reload.setAttribute('type', 'button');
  reload.addEventListener('click', () => location.reload());
  panel.append(
    element('h1', 'text-xl font-semibold', 'Critical Error'),
    element('p', 'mt-1 text-ink-muted', 'The application could not initialize correctly.'),
    details,
    reload,
  );
  const page = element('main', 'px-5');
  page.append(panel);
  (document.getElementById('root') ?? document.body).replaceChildren(page);
  document.title = 'Critical Error · Fairlead';
}

function element(tag: string, className: string, text = ''): HTMLElement {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

start().catch(showCriticalError);
