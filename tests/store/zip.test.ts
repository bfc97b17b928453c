import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { UPLOAD_LIMITS } from '../../routers/schemas/limits.ts';
import { ZipRefusal, type ZipRefusalReason } from '../../server/store/zip/refusal.ts';
import { zipRefusal } from '../support/read-zip.ts';
import { extraField, fields, writeZip, type ZipPart, type ZipWhole } from '../support/zip-writer.ts';

/** Hostile or broken archives that have to be refused: what each is made of, and the rule that it breaks. */
type Case = {
  name: string;
  zip: () => Buffer;
  reason: ZipRefusalReason;
  /** The refused entry as it is shown; empty where the whole archive is refused. */
  path: string;
};

const page: ZipPart = { name: 'index.html', data: '<h1>hello</h1>' };
const of = (...parts: (string | ZipPart)[]) => writeZip([page, ...parts]);
const whole = (more: ZipWhole, ...parts: (string | ZipPart)[]) => writeZip([page, ...parts], more);
const text = 'a line of text that is packed well\n'.repeat(200);
const bytes = (...values: number[]) => Buffer.from(values);
/** Returns the name of an entry as these bytes; without a UTF-8 flag unless it is given one. */
const named = (name: Buffer, flags = 0): ZipPart => ({ name, data: 'x', flags });
const mode = (bits: number, madeBy = 0x031e): ZipPart => ({
  name: 'link',
  data: '/etc/passwd',
  madeBy,
  attributes: (bits << 16) >>> 0,
});
const localHeaderBytes = (name: string): number => 30 + name.length;

const NAMES: Case[] = [
  { name: 'slip_dotdot', zip: () => of('../x'), reason: 'parent_folder', path: '../x' },
  { name: 'slip_inner', zip: () => of('a/../../x'), reason: 'parent_folder', path: 'a/../../x' },
  { name: 'slip_backslash', zip: () => of('..\\x'), reason: 'parent_folder', path: '../x' },
  { name: 'slip_folder', zip: () => of({ name: '../x/', data: '' }), reason: 'parent_folder', path: '../x/' },
  { name: 'slip_alone', zip: () => writeZip(['../x']), reason: 'parent_folder', path: '../x' },
  { name: 'abs_path', zip: () => of('/etc/passwd'), reason: 'absolute_path', path: '/etc/passwd' },
  { name: 'root_with_data', zip: () => of({ name: '/', data: 'x' }), reason: 'empty_name', path: '/' },
  { name: 'abs_folder', zip: () => of({ name: '/etc/', data: '' }), reason: 'absolute_path', path: '/etc/' },
  { name: 'abs_twice', zip: () => writeZip(['//a.css', '/b.css']), reason: 'absolute_path', path: '//a.css' },
  { name: 'abs_drive', zip: () => writeZip(['/C:/a.css', '/b.css']), reason: 'drive_letter', path: 'C:/a.css' },
  { name: 'abs_dotdot', zip: () => writeZip(['/../x', '/b.css']), reason: 'parent_folder', path: '../x' },
  { name: 'drive_letter', zip: () => of('C:/x'), reason: 'drive_letter', path: 'C:/x' },
  { name: 'dotdot_space', zip: () => of('a/.. /x'), reason: 'parent_folder', path: 'a/.. /x' },
  { name: 'drive_letter_as_root', zip: () => writeZip(['C:/x', 'C:/y']), reason: 'drive_letter', path: 'C:/x' },
  { name: 'unc', zip: () => of('//server/share/x'), reason: 'absolute_path', path: '//server/share/x' },
  { name: 'unc_backslash', zip: () => of('\\\\server\\share\\x'), reason: 'absolute_path', path: '//server/share/x' },
  { name: 'nul', zip: () => of(named(bytes(0x61, 0, 0x62), 0x0800)), reason: 'control_character', path: 'a\\u{0}b' },
  {
    name: 'control_char',
    zip: () => of(named(Buffer.from('a\nb'), 0x0800)),
    reason: 'control_character',
    path: 'a\\u{a}b',
  },
  {
    name: 'control_char_cp437',
    zip: () => of(named(bytes(0x61, 0x0d, 0x82))),
    reason: 'control_character',
    path: 'a\\u{d}\\u{82}',
  },
  { name: 'control_char_c1', zip: () => of('a\u0085b'), reason: 'control_character', path: 'a\\u{85}b' },
  { name: 'delete', zip: () => of(named(bytes(0x61, 0x7f))), reason: 'control_character', path: 'a\\u{7f}' },
  { name: 'bidi', zip: () => of('photo\u202egnp.exe'), reason: 'bidi_mark', path: 'photo\\u{202e}gnp.exe' },
  { name: 'empty_name', zip: () => of(named(bytes())), reason: 'empty_name', path: '' },
  { name: 'dot_only', zip: () => of('.'), reason: 'dot_folder', path: '.' },
  { name: 'dot_inside', zip: () => of('a/./b'), reason: 'dot_folder', path: 'a/./b' },
  { name: 'double_slash', zip: () => of('a//b'), reason: 'empty_folder_name', path: 'a//b' },
  { name: 'long_name', zip: () => of('x'.repeat(60_000)), reason: 'path_too_long', path: 'x'.repeat(600) },
  {
    name: 'long_name_of_marks',
    zip: () => of(named(Buffer.from(`a${'\u0301'.repeat(30_000)}`), 0x0800)),
    reason: 'path_too_long',
    path: `a${'\u0301'.repeat(599)}`,
  },
  { name: 'long_segment', zip: () => of('x'.repeat(256)), reason: 'segment_too_long', path: 'x'.repeat(256) },
  { name: 'deep', zip: () => of(`${'d/'.repeat(100)}x`), reason: 'too_deep', path: `${'d/'.repeat(100)}x` },
  { name: 'deeper', zip: () => of(`${'d/'.repeat(2_000)}x`), reason: 'path_too_long', path: 'd/'.repeat(300) },
  { name: 'duplicate', zip: () => of('a.txt', 'a.txt'), reason: 'duplicate', path: 'a.txt' },
  { name: 'nfc_nfd', zip: () => of('caf\u00e9.txt', 'cafe\u0301.txt'), reason: 'duplicate', path: 'caf\u00e9.txt' },
  { name: 'file_and_dir', zip: () => of('a', 'a/b'), reason: 'file_and_folder', path: 'a' },
  { name: 'file_and_dir_entry', zip: () => of('a', { name: 'a/', data: '' }), reason: 'file_and_folder', path: 'a/' },
  { name: 'dir_with_data', zip: () => of({ name: 'a/', data: 'hidden' }), reason: 'folder_with_data', path: 'a/' },
  {
    name: 'bad_utf8_flag',
    zip: () => of(named(bytes(0x61, 0xff, 0xfe), 0x0800)),
    reason: 'name_not_utf8',
    path: 'a\u00ff\u00fe',
  },
  {
    name: 'unicode_path_extra',
    zip: () => of({ name: 'a.txt', data: 'x', extra: unicodePath('a.txt', 'b.txt') }),
    reason: 'renamed_by_extra',
    path: 'a.txt',
  },
  {
    name: 'unicode_path_extra_slip',
    zip: () => of({ name: 'a.txt', data: 'x', extra: unicodePath('a.txt', '../a.txt') }),
    reason: 'renamed_by_extra',
    path: 'a.txt',
  },
  {
    name: 'unicode_path_slip',
    zip: () => of({ ...named(Buffer.from('a.txt')), extra: unicodePath('a.txt', '../../x') }),
    reason: 'parent_folder',
    path: '../../x',
  },
  {
    name: 'unicode_path_twice',
    zip: () =>
      of({
        ...named(Buffer.from('a.txt')),
        extra: Buffer.concat([unicodePath('a.txt', 'b.txt'), unicodePath('a.txt', 'c.txt')]),
      }),
    reason: 'renamed_by_extra',
    path: 'a.txt',
  },
  {
    name: 'unicode_path_not_utf8',
    zip: () => of({ ...named(Buffer.from('a.txt')), extra: unicodePath('a.txt', bytes(0x61, 0xff)) }),
    reason: 'name_not_utf8',
    path: 'a.txt',
  },
  {
    name: 'unicode_path_empty',
    zip: () => of({ ...named(Buffer.from('a.txt')), extra: unicodePath('a.txt', '') }),
    reason: 'empty_name',
    path: '',
  },
  {
    name: 'unicode_path_of_the_local_header_alone',
    zip: () => of({ ...named(Buffer.from('a.txt')), local: { extra: unicodePath('a.txt', 'b.txt') } }),
    reason: 'headers_differ',
    path: 'a.txt',
  },
];

function unicodePath(raw: string, second: string | Buffer): Buffer {
  return extraField(0x7075, Buffer.concat([bytes(1), fields([4, crc32(raw)]), Buffer.from(second)]));
}

const KINDS: Case[] = [
  { name: 'symlink_alone', zip: () => writeZip([mode(0o120777)]), reason: 'no_files', path: '' },
  { name: 'symlink_slip', zip: () => of({ ...mode(0o120777), name: '../x' }), reason: 'parent_folder', path: '../x' },
  { name: 'symlink_and_file', zip: () => of(mode(0o120777), 'link'), reason: 'duplicate', path: 'link' },
  {
    name: 'symlink_then_junk',
    zip: () => of({ ...mode(0o120777), name: '.DS_Store' }, '.ds_store/._x'),
    reason: 'symbolic_link',
    path: '.ds_store',
  },
  {
    name: 'symlink_then_secret_in_a_root',
    zip: () => writeZip(['site/index.html', { ...mode(0o120777), name: 'site/a' }, 'site/a/.env']),
    reason: 'symbolic_link',
    path: 'site/a',
  },
  {
    name: 'symlink_then_file',
    zip: () => of({ ...mode(0o120777), name: 'a', data: '/tmp' }, 'a/b'),
    reason: 'symbolic_link',
    path: 'a',
  },
  { name: 'fifo', zip: () => of(mode(0o010644)), reason: 'special_file', path: 'link' },
  { name: 'dev', zip: () => of(mode(0o020644)), reason: 'special_file', path: 'link' },
  { name: 'encrypted', zip: () => of({ name: 'a', data: 'x', flags: 0x0801 }), reason: 'encrypted', path: 'a' },
  {
    name: 'encrypted_strong',
    zip: () => of({ name: 'a', data: 'x', flags: 0x0841 }),
    reason: 'encrypted',
    path: 'entry 2',
  },
  {
    name: 'aes',
    zip: () => of({ name: 'a', data: 'x', method: 99, flags: 0x0801, extra: extraField(0x9901, Buffer.alloc(7)) }),
    reason: 'encrypted',
    path: 'a',
  },
  {
    name: 'method_99_unflagged',
    zip: () => of({ name: 'a', data: 'x', method: 99 }),
    reason: 'method_unsupported',
    path: 'a',
  },
  ...[1, 6, 9, 12, 14, 93, 95, 98].map(
    (method): Case => ({
      name: `method_${method}`,
      zip: () => of({ name: 'a', data: 'x', method }),
      reason: 'method_unsupported',
      path: 'a',
    }),
  ),
];

const large = (sizeBytes: number | bigint, packedBytes: number | bigint): ZipPart => ({
  name: 'a',
  data: 'x',
  method: 8,
  sizeBytes: 0xffffffff,
  packedBytes: 0xffffffff,
  extra: extraField(1, fields([8, sizeBytes], [8, packedBytes])),
});

const READINGS: Case[] = [
  {
    name: 'local_name_mismatch',
    zip: () => of({ name: 'a', data: 'x', local: { name: 'b' } }),
    reason: 'headers_differ',
    path: 'a',
  },
  {
    name: 'local_slash_out_of_the_folder',
    zip: () => of({ name: '..\\x', data: 'x', local: { name: '../x' } }),
    reason: 'parent_folder',
    path: '../x',
  },
  {
    name: 'local_name_longer',
    zip: () => of({ name: 'a/b', data: 'x', local: { name: 'a/b/c' } }),
    reason: 'headers_differ',
    path: 'a/b',
  },
  {
    name: 'local_name_mismatch_of_a_guessed_name',
    zip: () => of({ ...named(bytes(0x61, 0x82)), local: { name: bytes(0x61, 0x83) } }),
    reason: 'headers_differ',
    path: 'a\u00e9',
  },
  {
    name: 'local_method_mismatch',
    zip: () => of({ name: 'a', data: 'x', local: { method: 8 } }),
    reason: 'headers_differ',
    path: 'a',
  },
  {
    name: 'local_sizes_mismatch',
    zip: () => of({ name: 'a', data: text, method: 8, local: { sizeBytes: 3 } }),
    reason: 'headers_differ',
    path: 'a',
  },
  {
    name: 'local_crc_mismatch',
    zip: () => of({ name: 'a', data: 'x', local: { crc: 1 } }),
    reason: 'headers_differ',
    path: 'a',
  },
  {
    name: 'local_flags_mismatch',
    zip: () => of({ name: 'a', data: 'x', local: { flags: 0 } }),
    reason: 'headers_differ',
    path: 'a',
  },
  {
    name: 'local_signature',
    zip: () => of({ name: 'a', data: 'x', local: { signature: 0x04034b51 } }),
    reason: 'headers_differ',
    path: 'a',
  },
  {
    name: 'lying_small',
    zip: () => of({ name: 'a', data: text, method: 8, sizeBytes: 10 }),
    reason: 'size_wrong',
    path: 'a',
  },
  {
    name: 'lying_none',
    zip: () => of({ name: 'a', data: text, method: 8, sizeBytes: 0 }),
    reason: 'size_wrong',
    path: 'a',
  },
  {
    name: 'lying_large',
    zip: () => of({ name: 'a', data: text, method: 8, sizeBytes: text.length + 1 }),
    reason: 'size_wrong',
    path: 'a',
  },
  { name: 'lying_stored', zip: () => of({ name: 'a', data: 'xy', sizeBytes: 1 }), reason: 'size_wrong', path: 'a' },
  { name: 'bad_crc_stored', zip: () => of({ name: 'a', data: 'x', crc: 5 }), reason: 'checksum_wrong', path: 'a' },
  {
    name: 'bad_crc_deflate',
    zip: () => of({ name: 'a', data: text, method: 8, crc: 5 }),
    reason: 'checksum_wrong',
    path: 'a',
  },
  {
    name: 'corrupt_deflate',
    zip: () => of({ name: 'a', data: text, method: 8, packed: randomLike(40) }),
    reason: 'data_corrupted',
    path: 'a',
  },
  {
    name: 'deflate_cut',
    zip: () => of({ name: 'a', data: text, method: 8, packed: deflateRawSync(text).subarray(0, 20) }),
    reason: 'data_corrupted',
    path: 'a',
  },
  {
    name: 'deflate_with_more_behind',
    zip: () =>
      of({ name: 'a', data: text, method: 8, packed: Buffer.concat([deflateRawSync(text), Buffer.from('PK')]) }),
    reason: 'data_corrupted',
    path: 'a',
  },
  {
    name: 'overlap_full',
    zip: () =>
      of({ name: 'a', data: text, method: 8 }, { name: 'b', data: text, method: 8, isGhost: true, offset: 44 }),
    reason: 'overlap',
    path: 'index.html',
  },
  { name: 'overlap_quoted', zip: quoted, reason: 'overlap', path: 'a' },
  {
    name: 'range_into_directory',
    zip: () => of({ name: 'a', data: text, method: 8, packedBytes: deflateRawSync(text).length + 30 }),
    reason: 'out_of_bounds',
    path: 'a',
  },
  {
    name: 'offset_out_of_bounds',
    zip: () => of({ name: 'a', data: 'x', isGhost: true, offset: 1_000_000 }),
    reason: 'out_of_bounds',
    path: 'a',
  },
  {
    name: 'offset_of_the_directory',
    zip: () => whole({}, { name: 'a', isGhost: true }),
    reason: 'out_of_bounds',
    path: 'a',
  },
  { name: 'zip64_size', zip: () => of(large(2n ** 62n, 2n ** 62n)), reason: 'out_of_bounds', path: 'a' },
  {
    name: 'zip64_sizes_missing',
    zip: () => of({ ...large(1, 1), extra: Buffer.alloc(0) }),
    reason: 'out_of_bounds',
    path: 'a',
  },
  {
    name: 'ratio_of_one',
    zip: () => of({ name: 'a', data: Buffer.alloc(3_000_000), method: 8, sizeBytes: 5_000_000 }),
    reason: 'ratio_too_high',
    path: 'a',
  },
  { name: 'ratio', zip: bomb, reason: 'ratio_too_high', path: '' },
];

/** The same on every run; no valid deflate stream. */
function randomLike(length: number): Buffer {
  return Buffer.from(Array.from({ length }, (_, index) => (index * 193 + 255) & 0xff));
}

/** The content of each entry is a header of the next one, quoted in a stored block of deflate. */
function quoted(): Buffer {
  const inner = writeZip([{ name: 'b', data: text, method: 8 }]).subarray(0, localHeaderBytes('b'));
  const packed = Buffer.concat([bytes(0), fields([2, inner.length], [2, 0xffff - inner.length]), inner]);
  const shared = deflateRawSync(text);
  const first: ZipPart = {
    name: 'a',
    data: Buffer.concat([inner, Buffer.from(text)]),
    method: 8,
    packed: Buffer.concat([packed, shared]),
  };
  const ghost: ZipPart = { name: 'b', data: text, method: 8, isGhost: true, offset: localHeaderBytes('a') + 5 };
  return writeZip([first, ghost]);
}

function bomb(): Buffer {
  const zeros = Buffer.alloc(900 * 1024);
  return writeZip(Array.from({ length: 120 }, (_, index) => ({ name: `${index}`, data: zeros, method: 8 })));
}

const manyEntries = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `f${index}`, data: '' }));

/** Returns a whole second archive in the comment of the first one, where programs that look from the back find it. */
function hidden(...parts: (string | ZipPart)[]): Buffer {
  const length = writeZip(parts).length;
  const first = writeZip([page], { comment: Buffer.alloc(length) });
  return writeZip(parts, { prefix: first.subarray(0, -length) });
}

const ENDS: Case[] = [
  { name: 'count_less', zip: () => whole({ count: 1 }, 'b', 'c'), reason: 'count_wrong', path: '' },
  { name: 'count_more', zip: () => whole({ count: 3 }, 'b'), reason: 'directory_corrupted', path: '' },
  { name: 'count_wrapped_70000', zip: () => writeZip(manyEntries(70_000)), reason: 'count_wrong', path: '' },
  { name: 'many_60000', zip: () => writeZip(manyEntries(60_000)), reason: 'too_many_entries', path: '' },
  {
    name: 'many_20001',
    zip: () => writeZip(manyEntries(UPLOAD_LIMITS.maxFiles + 1)),
    reason: 'too_many_files',
    path: '',
  },
  { name: 'zip64_huge_count', zip: () => whole({ zip64: { count: 2n ** 50n } }), reason: 'too_many_entries', path: '' },
  { name: 'zip64_count_less', zip: () => whole({ zip64: { count: 1 } }, 'b'), reason: 'count_wrong', path: '' },
  { name: 'zip64_beside_other_count', zip: () => whole({ zip64: {}, count: 1 }, 'b'), reason: 'count_wrong', path: '' },
  {
    name: 'zip64_beside_other_start',
    zip: () => whole({ zip64: {}, directoryStart: 5 }),
    reason: 'hidden_end_record',
    path: '',
  },
  {
    name: 'zip64_start_outside',
    zip: () => whole({ zip64: { directoryStart: 2n ** 60n } }),
    reason: 'directory_corrupted',
    path: '',
  },
  {
    name: 'directory_size_lies',
    zip: () => whole({ directoryBytes: 0xfffffff0 }),
    reason: 'directory_corrupted',
    path: '',
  },
  {
    name: 'directory_size_full',
    zip: () => whole({ directoryBytes: 0xffffffff }),
    reason: 'directory_corrupted',
    path: '',
  },
  { name: 'directory_size_less', zip: () => whole({ directoryBytes: 1 }), reason: 'directory_corrupted', path: '' },
  {
    name: 'zip64_directory_size_lies',
    zip: () => whole({ zip64: { directoryBytes: 5 } }),
    reason: 'directory_corrupted',
    path: '',
  },
  {
    name: 'directory_start_outside',
    zip: () => whole({ directoryStart: 0xffffff00 }),
    reason: 'directory_corrupted',
    path: '',
  },
  { name: 'comment_with_end_record', zip: () => hidden('other.html'), reason: 'hidden_end_record', path: '' },
  {
    name: 'comment_with_end_record_of_the_same_file',
    zip: () => hidden({ ...page, isGhost: true, offset: 0 }),
    reason: 'hidden_end_record',
    path: '',
  },
  {
    name: 'comment_with_the_mark_of_an_end',
    zip: () => whole({ comment: Buffer.from('PK\u0005\u0006 and no more, so that nobody finds an end there') }),
    reason: 'trailing_data',
    path: '',
  },
  {
    name: 'prepended_data',
    zip: () => whole({ prefix: Buffer.from('#!/bin/sh\n') }),
    reason: 'prepended_data',
    path: '',
  },
  {
    name: 'prepended_data_unadjusted',
    zip: () => Buffer.concat([Buffer.from('MZ'), writeZip([page])]),
    reason: 'directory_corrupted',
    path: 'entry 1',
  },
  {
    name: 'prepended_four_bytes',
    zip: () => whole({ prefix: Buffer.from('PK01') }),
    reason: 'prepended_data',
    path: '',
  },
  {
    name: 'two_ends_before_zeros',
    zip: () => Buffer.concat([hidden('other.html'), Buffer.alloc(99)]),
    reason: 'trailing_data',
    path: '',
  },
  {
    name: 'zeros_and_more_behind_the_end',
    zip: () => whole({ suffix: Buffer.concat([Buffer.alloc(512), Buffer.from('x')]) }),
    reason: 'trailing_data',
    path: '',
  },
  { name: 'trailing_data', zip: () => whole({ suffix: Buffer.from('and more') }), reason: 'trailing_data', path: '' },
  { name: 'truncated', zip: () => of('b').subarray(0, -30), reason: 'not_zip', path: '' },
  { name: 'empty_file', zip: () => Buffer.alloc(0), reason: 'not_zip', path: '' },
  { name: 'empty_zip', zip: () => writeZip([]), reason: 'no_files', path: '' },
  { name: 'folders_only', zip: () => writeZip([{ name: 'a/', data: '' }]), reason: 'no_files', path: '' },
  { name: 'not_zip', zip: () => Buffer.from('<!doctype html><title>not a ZIP</title>'), reason: 'not_zip', path: '' },
  { name: 'gzip', zip: () => gzipSync(text), reason: 'not_zip', path: '' },
  { name: 'several_parts', zip: () => partOfMany(), reason: 'several_parts', path: '' },
];

function partOfMany(): Buffer {
  const zip = writeZip([page]);
  zip.writeUInt16LE(1, zip.length - 18);
  return zip;
}

test.each([...NAMES, ...KINDS, ...READINGS, ...ENDS])('refused: $name', async ({ zip, reason, path }) => {
  const refused = await zipRefusal(zip());
  expect(refused.reason).toBe(reason);
  expect(refused.path).toBe(path);
  expect(refused.message).toBe(new ZipRefusal(reason).message);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  expect(refused.path).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
});
