import { join } from 'node:path';
import { writeSite } from './sites.ts';

/** A real Vite build: hashed assets, a module script, a style sheet. Returns the folder of the build. */
export async function viteBuild(folder: string, message = 'Built by Vite'): Promise<string> {
  await writeSite(join(folder, 'app'), {
    'index.html':
      '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Vite site</title></head><body><div id="app"></div><script type="module" src="/main.js"></script></body></html>',
    'main.js': `import './main.css';\nimport('./later.js').then(({ text }) => { document.querySelector('#app').textContent = text; });\n`,
    'later.js': `export const text = ${JSON.stringify(message)};\n`,
    'main.css': '#app { color: rebeccapurple }\n',
  });
  const outDir = join(folder, 'dist');
  // Here and not above, because a program that lists the tests would load it as well.
  const { build } = await import('vite');
  await build({
    configFile: false,
    root: join(folder, 'app'),
    logLevel: 'silent',
    build: { outDir, emptyOutDir: true },
  });
  return outDir;
}
