import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['firefox', 'firefox-esr'];

/** Returns the path of the system's Firefox; throws an error that says what to install. */
export function findFirefox(): string {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const found = folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new Error('Firefox was not found on the PATH: install the package "firefox" or "firefox-esr" of your system.');
}
