const OLDEST = [20, 19, 0];

/**
 * Why this Node will not do, as a sentence; null when it will.
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
