// Runs before the first paint, so that no theme flashes up; a file of its own, since the policy allows no inline script.
// The key is the one in src/lib/storage/storage.ts.
(() => {
  const systemIsDark = matchMedia('(prefers-color-scheme: dark)');

  const apply = () => {
    let chosen = null;
    try {
      chosen = localStorage.getItem('fairlead.theme');
    } catch {
      // No storage: the system decides.
    }
    const isDark = chosen === 'dark' || (chosen !== 'light' && systemIsDark.matches);
    document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
  };

  apply();
  systemIsDark.addEventListener('change', apply);
  addEventListener('storage', apply);
  addEventListener('fairlead:theme', apply);
})();

// The guard (src/start.ts) shows the 'Critical Error' panel. When the guard itself does not arrive, or breaks, the page is
// still empty, and the panel comes from here.
(() => {
  const element = (tag, className, text = '') => {
    const made = document.createElement(tag);
    made.className = className;
    made.textContent = text;
    return made;
  };

  const showCriticalError = () => {
    const root = document.getElementById('root');
    if (root === null || root.childElementCount > 0) return;
    const panel = element(
      'div',
      'mx-auto my-16 w-full max-w-form rounded-card border border-line bg-surface-raised p-6',
    );
    panel.setAttribute('role', 'alert');
    const reload = element(
      'button',
      'mt-5 h-control rounded-control bg-accent px-3.5 text-base font-medium text-accent-ink',
      'Reload Application',
    );
    reload.type = 'button';
    reload.addEventListener('click', () => location.reload());
    panel.append(
      element('h1', 'text-xl font-semibold', 'Critical Error'),
      element('p', 'mt-1 text-ink-muted', 'The application could not initialize correctly.'),
      reload,
    );
    const page = element('main', 'px-5');
    page.append(panel);
    root.replaceChildren(page);
    document.title = 'Critical Error · Fairlead';
  };

  // Captured: what a script that does not load is told does not bubble.
  addEventListener(
    'error',
    ({ target }) => {
      const isOfModule = target instanceof HTMLScriptElement && target.type === 'module';
      if (!isOfModule && target !== window) return;
      if (document.readyState === 'loading') addEventListener('DOMContentLoaded', showCriticalError, { once: true });
      else showCriticalError();
    },
    true,
  );
})();
