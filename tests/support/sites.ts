import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Path below the site's folder → content. */
export type SiteFiles = Record<string, string | Buffer>;

export async function writeSite(folder: string, files: SiteFiles): Promise<string> {
  for (const [path, content] of Object.entries(files)) {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, content);
  }
  return folder;
}

const page = (title: string, body: string, depth = 0): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title}</title><link rel="stylesheet" href="${'../'.repeat(depth)}style.css"></head>
<body><h1>${title}</h1>${body}</body>
</html>
`;

/** Returns a hand-written site of twenty pages, as a person keeps one in a folder. */
export function twentyPages(greeting = 'Welcome to the harbour'): SiteFiles {
  const files: SiteFiles = {
    'index.html': page(greeting, '<p><a href="guides/page-1.html">Guides</a></p><img src="images/dot.png" alt="">'),
    'about.html': page('About', '<p>Since 1903.</p>'),
    '404.html': page('Not here', '<p>This page sailed away.</p>'),
    'style.css': 'body { font: 18px/1.5 Georgia, serif; margin: 2rem auto; max-width: 40rem }\n',
    'script.js': 'document.title += " ";\n',
    'images/dot.png': Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    ),
  };
  for (let number = 1; number <= 17; number += 1) {
    files[`guides/page-${number}.html`] = page(`Guide ${number}`, `<p>${'Tie the rope well. '.repeat(number)}</p>`, 1);
  }
  return files;
}

/** Files with spaces, umlauts, emoji and reserved characters of addresses in their names. */
export function oddNames(): SiteFiles {
  return {
    'index.html': page('Odd names', '<a href="Über%20uns/Grüße.html">Grüße</a>'),
    'style.css': 'h1 { color: teal }\n',
    'Über uns/Grüße.html': page('Grüße', '<p>Schön.</p>', 1),
    'my photos/holiday 2024 (1).txt': 'a b c',
    '🚢 ship/⚓.txt': 'anchor',
    '100%.html': page('Hundred percent', ''),
    'q?.txt': 'question',
    'h#.txt': 'hash',
    '[...slug].html': page('Slug', ''),
    '+page.svelte': '<h1>honest</h1>',
    '日本語.html': page('日本語', ''),
    '__proto__/x.txt': 'not a prototype',
  };
}

/** The numbers of `manyFiles`: its requests, the files of the one that has several, and all files. */
export const MANY = { requests: 13, together: 31, files: 43 } as const;

/** A site with a middle of sending it: small files that travel together, and twelve that travel alone. */
export function manyFiles(greeting: string): SiteFiles {
  const files: SiteFiles = { 'index.html': `<h1>${greeting}</h1>` };
  for (let number = 1; number < MANY.together; number += 1)
    files[`notes/${number}.txt`] = `${greeting}, note ${number}`;
  for (let number = 1; number < MANY.requests; number += 1) {
    files[`photos/${number}.jpg`] = Buffer.alloc(1024 ** 2, `${greeting}, photo ${number}`);
  }
  return files;
}
