import type { Page } from '@playwright/test';

/**
 * Follows what a page meets: presses, where the focus goes, buttons that are disabled, forms that come, go and are
 * hidden, and what is sent. A press that led to nothing leaves no other trace. Returns a function that tells the last of it.
 */
export async function followPage(page: Page): Promise<() => Promise<string>> {
  await page.addInitScript(follow);
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(`${request.method()} ${request.url()}`);
  });
  return async () => {
    const met = await page.evaluate(() => (window as { met?: string[] }).met ?? []).catch((cause) => [String(cause)]);
    return [...met.slice(-60), 'Sent:', ...sent.slice(-20)].join('\n');
  };
}

/** Runs in the page. */
function follow(): void {
  const met: string[] = [];
  Object.assign(window, { met });
  const note = (act: string, target: unknown) => {
    if (!(target instanceof Element)) return;
    const name = target.getAttribute('aria-label') ?? target.textContent?.slice(0, 30);
    met.push(`${Math.round(performance.now())} ms ${act} ${target.tagName} ${name}`);
    if (met.length > 200) met.splice(0, 100);
  };
  for (const type of ['focusin', 'focusout', 'mousedown', 'mouseup', 'click', 'submit', 'change'])
    addEventListener(type, ({ target }) => note(type, target), true);
  new MutationObserver((changes) => {
    for (const { attributeName, target, addedNodes, removedNodes } of changes) {
      if (attributeName === 'disabled') note((target as HTMLButtonElement).disabled ? 'disabled' : 'enabled', target);
      // React hides like this what has to wait for its code.
      if (attributeName === 'style' && (target as HTMLElement).style.display === 'none') note('hidden', target);
      const hasForm = (node: Node) => node instanceof Element && node.querySelector('form') !== null;
      for (const node of [...addedNodes].filter(hasForm)) note('came', node);
      for (const node of [...removedNodes].filter(hasForm)) note('went', node);
    }
  }).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['disabled', 'style'] });
}
