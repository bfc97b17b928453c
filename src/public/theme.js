// Runs before the first paint, so that no theme flashes up; a file of its own, since the policy allows no inline script.
// The key is the one in src/lib/storage.ts.
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
