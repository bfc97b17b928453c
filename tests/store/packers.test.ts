import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { applyRules } from '../../src/uploads/selection/apply-rules.ts';
import { readZip as readZipInBrowser } from '../../src/uploads/selection/zip.ts';
import { readZip, zipRefusal } from '../support/read-zip.ts';

/** The same site as real programs pack it (README.md there). */
const FOLDER = new URL('../support/fixtures/zips/', import.meta.url);
const ARCHIVES = readdirSync(FOLDER).filter((name) => name.endsWith('.zip'));
const COUNT = 45;

test('of each family of packers there is an archive', () => {
  expect(ARCHIVES.length).toBe(19);
});

test.each(ARCHIVES)('%s: every name and every byte comes out, on the server and on the screen', async (name) => {
  const bytes = readFileSync(new URL(name, FOLDER));
  const read = await readZip(bytes);
  expect(read.files.size).toBe(COUNT);
  for (const [path, content] of read.files) expect(content.toString()).toBe(`${path}\n`);
  expect([read.leftOut, read.droppedCount, read.guessed]).toEqual([[], 0, []]);
  const selection = await readZipInBrowser(new File([bytes], name));
  const shown = applyRules(selection, { takesRootOff: true }).files.map(({ path }) => path);
  expect(shown.sort()).toEqual([...read.files.keys()].sort());
});

const OTHERS = new URL('../support/fixtures/zips-of-others/', import.meta.url);
type Met = { files: string[]; leftOut?: string[]; guessed?: string[] };
const permissions = { files: ['file_400', 'file_640', 'file_666', 'file_755'] };
const attributes = {
  files: ['dir/plop.txt', 'dir_hidden/plop.txt', 'file', 'file_hidden', 'file_ro', 'file_ro_hidden'],
};
const MET: Record<string, Met> = {
  'jszip-linux_ark.zip': permissions,
  'jszip-linux_file_roller-ubuntu.zip': permissions,
  'jszip-mac_finder.zip': permissions,
  'jszip-windows_7z.zip': attributes,
  'jszip-windows_compressed_folders.zip': attributes,
  'jszip-windows_izarc.zip': attributes,
  'jszip-windows_winrar.zip': attributes,
  // No page links to them, so they are told as guessed, as they came out.
  'jszip-local_encoding_in_name.zip': {
    files: ['Новый текстовый документ.txt'],
    guessed: ['Новый текстовый документ.txt'],
  },
  'jszip-nested_zip64.zip': { files: ['zip64.zip'] },
  'jszip-pile_of_poo.zip': { files: ['Iñtërnâtiônàlizætiøn☃💩.txt'] },
  'jszip-slashes_and_izarc.zip': { files: ['Hello.txt'] },
  'jszip-winrar_utf8_in_name.zip': { files: ['€15.txt'] },
  'zip4j-archive-with-no-dir-entries.zip': { files: ['items/subitems/beta.txt', 'more/alpha.txt', 'root.txt'] },
  'zip4j-testfile_with_chinese_filename_by_7zip.zip': {
    files: ['fff - 副本.txt', 'fff.txt'],
    guessed: ['fff - 副本.txt'],
  },
  'zip4j-zipWithLinkToDirAndFolder.zip': { files: ['c'], leftOut: ['b', 'd'] },
};

test('what others met is read: the real names, the guessed ones and the links, on the server and on the screen', async () => {
  const read: Record<string, Met> = {};
  for (const name of Object.keys(MET)) {
    const bytes = readFileSync(new URL(name, OTHERS));
    const { files, leftOut: left, guessed } = await readZip(bytes);
    const leftOut = left.sort();
    const paths = [...files.keys()].sort();
    const shown = applyRules(await readZipInBrowser(new File([bytes], name)), { takesRootOff: true });
    expect(shown.files.map(({ path }) => path).sort(), name).toEqual(paths);
    expect(shown.leftOut.map(({ path }) => path).sort(), name).toEqual(leftOut);
    read[name] = { files: paths, ...(leftOut.length > 0 && { leftOut }), ...(guessed.length > 0 && { guessed }) };
  }
  expect(read).toEqual(MET);
});

test('folders alone are nothing to publish, also where each has a data descriptor', async () => {
  const bytes = readFileSync(new URL('zip4j-dirs_with_extended_local_file_headers.zip', OTHERS));
  expect(await zipRefusal(bytes)).toMatchObject({ reason: 'no_files' });
});
