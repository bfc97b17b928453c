const OLDEST = [20, 19, 0];

/**
 * Returns a sentence about why this version of Node does not work; null when it does.
 * @param {string} version as in `process.version`
 * @returns {string | null}
 */
export function nodeFault(version) {
  const parts = version
    .replace(/^v/, '')
    .split('.')
    .map((part) => Number.parseInt(part, 10));
  const difference = OLDEST.map((part, index) => (parts[index] || 0) - part).find((part) => part !== 0) || 0;
  if (difference >= 0) return null;
  return `Fairlead needs Node ${OLDEST.join('.')} or later (22 or 24 is recommended), and this is ${version}: install a newer one from https://nodejs.org.`;
}
