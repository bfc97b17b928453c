import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { ZipRefusal, type ZipRefusalReason } from '../../server/store/zip/refusal.ts';
import { zipRefusal } from '../support/read-zip.ts';
import { extraField, fields, writeZip, type ZipPart, type ZipWhole } from '../support/zip-writer.ts';

/**
 * A hostile or broken archive that has to be refused: what it is made of, the rule that it breaks, and the refused entry
 * as it is shown, where it is not the whole archive.
 */
type Case = readonly [name: string, zip: () => Buffer, reason: ZipRefusalReason, path?: string];

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
  ['slip_dotdot', () => of('../x'), 'parent_folder', '../x'],
  ['slip_inner', () => of('a/../../x'), 'parent_folder', 'a/../../x'],
  ['slip_backslash', () => of('..\\x'), 'parent_folder', '../x'],
  ['slip_folder', () => of({ name: '../x/', data: '' }), 'parent_folder', '../x/'],
  ['slip_alone', () => writeZip(['../x']), 'parent_folder', '../x'],
  ['abs_path', () => of('/etc/passwd'), 'absolute_path', '/etc/passwd'],
  ['root_with_data', () => of({ name: '/', data: 'x' }), 'empty_name', '/'],
  ['abs_folder', () => of({ name: '/etc/', data: '' }), 'absolute_path', '/etc/'],
  ['abs_twice', () => writeZip(['//a.css', '/b.css']), 'absolute_path', '//a.css'],
  ['abs_drive', () => writeZip(['/C:/a.css', '/b.css']), 'drive_letter', 'C:/a.css'],
  ['abs_dotdot', () => writeZip(['/../x', '/b.css']), 'parent_folder', '../x'],
  ['drive_letter', () => of('C:/x'), 'drive_letter', 'C:/x'],
  ['dotdot_space', () => of('a/.. /x'), 'parent_folder', 'a/.. /x'],
  ['drive_letter_as_root', () => writeZip(['C:/x', 'C:/y']), 'drive_letter', 'C:/x'],
  ['unc', () => of('//server/share/x'), 'absolute_path', '//server/share/x'],
  ['unc_backslash', () => of('\\\\server\\share\\x'), 'absolute_path', '//server/share/x'],
  ['nul', () => of(named(bytes(0x61, 0, 0x62), 0x0800)), 'control_character', 'a\\u{0}b'],
  ['control_char', () => of(named(Buffer.from('a\nb'), 0x0800)), 'control_character', 'a\\u{a}b'],
  ['control_char_cp437', () => of(named(bytes(0x61, 0x0d, 0x82))), 'control_character', 'a\\u{d}\\u{82}'],
  ['control_char_c1', () => of('a\u0085b'), 'control_character', 'a\\u{85}b'],
  ['delete', () => of(named(bytes(0x61, 0x7f))), 'control_character', 'a\\u{7f}'],
  ['bidi', () => of('photo\u202egnp.exe'), 'bidi_mark', 'photo\\u{202e}gnp.exe'],
  ['empty_name', () => of(named(bytes())), 'empty_name'],
  ['dot_only', () => of('.'), 'dot_folder', '.'],
  ['dot_inside', () => of('a/./b'), 'dot_folder', 'a/./b'],
  ['double_slash', () => of('a//b'), 'empty_folder_name', 'a//b'],
  ['long_name', () => of('x'.repeat(60_000)), 'path_too_long', 'x'.repeat(600)],
  [
    'long_name_of_marks',
    () => of(named(Buffer.from(`a${'\u0301'.repeat(30_000)}`), 0x0800)),
    'path_too_long',
    `a${'\u0301'.repeat(599)}`,
  ],
  ['long_segment', () => of('x'.repeat(256)), 'segment_too_long', 'x'.repeat(256)],
  ['deep', () => of(`${'d/'.repeat(100)}x`), 'too_deep', `${'d/'.repeat(100)}x`],
  ['deeper', () => of(`${'d/'.repeat(2_000)}x`), 'path_too_long', 'd/'.repeat(300)],
  ['duplicate', () => of('a.txt', 'a.txt'), 'duplicate', 'a.txt'],
  ['nfc_nfd', () => of('caf\u00e9.txt', 'cafe\u0301.txt'), 'duplicate', 'caf\u00e9.txt'],
  ['file_and_dir', () => of('a', 'a/b'), 'file_and_folder', 'a'],
  ['file_and_dir_entry', () => of('a', { name: 'a/', data: '' }), 'file_and_folder', 'a/'],
  ['dir_with_data', () => of({ name: 'a/', data: 'hidden' }), 'folder_with_data', 'a/'],
  ['bad_utf8_flag', () => of(named(bytes(0x61, 0xff, 0xfe), 0x0800)), 'name_not_utf8', 'a\u00ff\u00fe'],
  [
    'unicode_path_extra',
    () => of({ name: 'a.txt', data: 'x', extra: unicodePath('a.txt', 'b.txt') }),
    'renamed_by_extra',
    'a.txt',
  ],
  [
    'unicode_path_extra_slip',
    () => of({ name: 'a.txt', data: 'x', extra: unicodePath('a.txt', '../a.txt') }),
    'renamed_by_extra',
    'a.txt',
  ],
  [
    'unicode_path_slip',
    () => of({ ...named(Buffer.from('a.txt')), extra: unicodePath('a.txt', '../../x') }),
    'parent_folder',
    '../../x',
  ],
  [
    'unicode_path_twice',
    () =>
      of({
        ...named(Buffer.from('a.txt')),
        extra: Buffer.concat([unicodePath('a.txt', 'b.txt'), unicodePath('a.txt', 'c.txt')]),
      }),
    'renamed_by_extra',
    'a.txt',
  ],
  [
    'unicode_path_not_utf8',
    () => of({ ...named(Buffer.from('a.txt')), extra: unicodePath('a.txt', bytes(0x61, 0xff)) }),
    'name_not_utf8',
    'a.txt',
  ],
  ['unicode_path_empty', () => of({ ...named(Buffer.from('a.txt')), extra: unicodePath('a.txt', '') }), 'empty_name'],
  [
    'unicode_path_of_the_local_header_alone',
    () => of({ ...named(Buffer.from('a.txt')), local: { extra: unicodePath('a.txt', 'b.txt') } }),
    'headers_differ',
    'a.txt',
  ],
];

function unicodePath(raw: string, second: string | Buffer): Buffer {
  return extraField(0x7075, Buffer.concat([bytes(1), fields([4, crc32(raw)]), Buffer.from(second)]));
}

const KINDS: Case[] = [
  ['symlink_alone', () => writeZip([mode(0o120777)]), 'no_files'],
  ['symlink_slip', () => of({ ...mode(0o120777), name: '../x' }), 'parent_folder', '../x'],
  ['symlink_and_file', () => of(mode(0o120777), 'link'), 'duplicate', 'link'],
  [
    'symlink_then_junk',
    () => of({ ...mode(0o120777), name: '.DS_Store' }, '.ds_store/._x'),
    'symbolic_link',
    '.ds_store',
  ],
  [
    'symlink_then_secret_in_a_root',
    () => writeZip(['site/index.html', { ...mode(0o120777), name: 'site/a' }, 'site/a/.env']),
    'symbolic_link',
    'site/a',
  ],
  ['symlink_then_file', () => of({ ...mode(0o120777), name: 'a', data: '/tmp' }, 'a/b'), 'symbolic_link', 'a'],
  ['fifo', () => of(mode(0o010644)), 'special_file', 'link'],
  ['dev', () => of(mode(0o020644)), 'special_file', 'link'],
  ['encrypted', () => of({ name: 'a', data: 'x', flags: 0x0801 }), 'encrypted', 'a'],
  ['encrypted_strong', () => of({ name: 'a', data: 'x', flags: 0x0841 }), 'encrypted', 'entry 2'],
  [
    'aes',
    () => of({ name: 'a', data: 'x', method: 99, flags: 0x0801, extra: extraField(0x9901, Buffer.alloc(7)) }),
    'encrypted',
    'a',
  ],
  ['method_99_unflagged', () => of({ name: 'a', data: 'x', method: 99 }), 'method_unsupported', 'a'],
  ...[1, 6, 9, 12, 14, 93, 95, 98].map(
    (method): Case => [`method_${method}`, () => of({ name: 'a', data: 'x', method }), 'method_unsupported', 'a'],
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
  ['local_name_mismatch', () => of({ name: 'a', data: 'x', local: { name: 'b' } }), 'headers_differ', 'a'],
  [
    'local_slash_out_of_the_folder',
    () => of({ name: '..\\x', data: 'x', local: { name: '../x' } }),
    'parent_folder',
    '../x',
  ],
  ['local_name_longer', () => of({ name: 'a/b', data: 'x', local: { name: 'a/b/c' } }), 'headers_differ', 'a/b'],
  [
    'local_name_mismatch_of_a_guessed_name',
    () => of({ ...named(bytes(0x61, 0x82)), local: { name: bytes(0x61, 0x83) } }),
    'headers_differ',
    'a\u00e9',
  ],
  ['local_method_mismatch', () => of({ name: 'a', data: 'x', local: { method: 8 } }), 'headers_differ', 'a'],
  [
    'local_sizes_mismatch',
    () => of({ name: 'a', data: text, method: 8, local: { sizeBytes: 3 } }),
    'headers_differ',
    'a',
  ],
  ['local_crc_mismatch', () => of({ name: 'a', data: 'x', local: { crc: 1 } }), 'headers_differ', 'a'],
  ['local_flags_mismatch', () => of({ name: 'a', data: 'x', local: { flags: 0 } }), 'headers_differ', 'a'],
  ['local_signature', () => of({ name: 'a', data: 'x', local: { signature: 0x04034b51 } }), 'headers_differ', 'a'],
  ['lying_small', () => of({ name: 'a', data: text, method: 8, sizeBytes: 10 }), 'size_wrong', 'a'],
  ['lying_none', () => of({ name: 'a', data: text, method: 8, sizeBytes: 0 }), 'size_wrong', 'a'],
  ['lying_large', () => of({ name: 'a', data: text, method: 8, sizeBytes: text.length + 1 }), 'size_wrong', 'a'],
  ['lying_stored', () => of({ name: 'a', data: 'xy', sizeBytes: 1 }), 'size_wrong', 'a'],
  ['bad_crc_stored', () => of({ name: 'a', data: 'x', crc: 5 }), 'checksum_wrong', 'a'],
  ['bad_crc_deflate', () => of({ name: 'a', data: text, method: 8, crc: 5 }), 'checksum_wrong', 'a'],
  ['corrupt_deflate', () => of({ name: 'a', data: text, method: 8, packed: randomLike(40) }), 'data_corrupted', 'a'],
  [
    'deflate_cut',
    () => of({ name: 'a', data: text, method: 8, packed: deflateRawSync(text).subarray(0, 20) }),
    'data_corrupted',
    'a',
  ],
  [
    'deflate_with_more_behind',
    () => of({ name: 'a', data: text, method: 8, packed: Buffer.concat([deflateRawSync(text), Buffer.from('PK')]) }),
    'data_corrupted',
    'a',
  ],
  [
    'overlap_full',
    () => of({ name: 'a', data: text, method: 8 }, { name: 'b', data: text, method: 8, isGhost: true, offset: 44 }),
    'overlap',
    'index.html',
  ],
  ['overlap_quoted', quoted, 'overlap', 'a'],
  [
    'range_into_directory',
    () => of({ name: 'a', data: text, method: 8, packedBytes: deflateRawSync(text).length + 30 }),
    'out_of_bounds',
    'a',
  ],
  ['offset_out_of_bounds', () => of({ name: 'a', data: 'x', isGhost: true, offset: 1_000_000 }), 'out_of_bounds', 'a'],
  ['offset_of_the_directory', () => whole({}, { name: 'a', isGhost: true }), 'out_of_bounds', 'a'],
  ['zip64_size', () => of(large(2n ** 62n, 2n ** 62n)), 'out_of_bounds', 'a'],
  ['zip64_sizes_missing', () => of({ ...large(1, 1), extra: Buffer.alloc(0) }), 'out_of_bounds', 'a'],
  [
    'ratio_of_one',
    () => of({ name: 'a', data: Buffer.alloc(3_000_000), method: 8, sizeBytes: 5_000_000 }),
    'ratio_too_high',
    'a',
  ],
  ['ratio', bomb, 'ratio_too_high'],
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
  const same = { packed: deflateRawSync(zeros), crc: crc32(zeros), sizeBytes: zeros.length, method: 8 };
  return writeZip(Array.from({ length: 120 }, (_, index) => ({ ...same, name: `${index}` })));
}

/** Returns a whole second archive in the comment of the first one, where programs that look from the back find it. */
function hidden(...parts: (string | ZipPart)[]): Buffer {
  const length = writeZip(parts).length;
  const first = writeZip([page], { comment: Buffer.alloc(length) });
  return writeZip(parts, { prefix: first.subarray(0, -length) });
}

const ENDS: Case[] = [
  ['count_less', () => whole({ count: 1 }, 'b', 'c'), 'count_wrong'],
  ['count_more', () => whole({ count: 3 }, 'b'), 'directory_corrupted'],
  ['many_60000', () => whole({ count: 60_000 }), 'too_many_entries'],
  ['zip64_huge_count', () => whole({ zip64: { count: 2n ** 50n } }), 'too_many_entries'],
  ['zip64_count_less', () => whole({ zip64: { count: 1 } }, 'b'), 'count_wrong'],
  ['zip64_beside_other_count', () => whole({ zip64: {}, count: 1 }, 'b'), 'count_wrong'],
  ['zip64_beside_other_start', () => whole({ zip64: {}, directoryStart: 5 }), 'hidden_end_record'],
  ['zip64_start_outside', () => whole({ zip64: { directoryStart: 2n ** 60n } }), 'directory_corrupted'],
  ['directory_size_lies', () => whole({ directoryBytes: 0xfffffff0 }), 'directory_corrupted'],
  ['directory_size_full', () => whole({ directoryBytes: 0xffffffff }), 'directory_corrupted'],
  ['directory_size_less', () => whole({ directoryBytes: 1 }), 'directory_corrupted'],
  ['zip64_directory_size_lies', () => whole({ zip64: { directoryBytes: 5 } }), 'directory_corrupted'],
  ['directory_start_outside', () => whole({ directoryStart: 0xffffff00 }), 'directory_corrupted'],
  ['comment_with_end_record', () => hidden('other.html'), 'hidden_end_record'],
  [
    'comment_with_end_record_of_the_same_file',
    () => hidden({ ...page, isGhost: true, offset: 0 }),
    'hidden_end_record',
  ],
  [
    'comment_with_the_mark_of_an_end',
    () => whole({ comment: Buffer.from('PK\u0005\u0006 and no more, so that nobody finds an end there') }),
    'trailing_data',
  ],
  ['prepended_data', () => whole({ prefix: Buffer.from('#!/bin/sh\n') }), 'prepended_data'],
  [
    'prepended_data_unadjusted',
    () => Buffer.concat([Buffer.from('MZ'), writeZip([page])]),
    'directory_corrupted',
    'entry 1',
  ],
  ['prepended_four_bytes', () => whole({ prefix: Buffer.from('PK01') }), 'prepended_data'],
  ['two_ends_before_zeros', () => Buffer.concat([hidden('other.html'), Buffer.alloc(99)]), 'trailing_data'],
  [
    'zeros_and_more_behind_the_end',
    () => whole({ suffix: Buffer.concat([Buffer.alloc(512), Buffer.from('x')]) }),
    'trailing_data',
  ],
  ['trailing_data', () => whole({ suffix: Buffer.from('and more') }), 'trailing_data'],
  ['truncated', () => of('b').subarray(0, -30), 'not_zip'],
  ['empty_file', () => Buffer.alloc(0), 'not_zip'],
  ['empty_zip', () => writeZip([]), 'no_files'],
  ['folders_only', () => writeZip([{ name: 'a/', data: '' }]), 'no_files'],
  ['not_zip', () => Buffer.from('<!doctype html><title>not a ZIP</title>'), 'not_zip'],
  ['gzip', () => gzipSync(text), 'not_zip'],
  ['several_parts', () => partOfMany(), 'several_parts'],
];

function partOfMany(): Buffer {
  const zip = writeZip([page]);
  zip.writeUInt16LE(1, zip.length - 18);
  return zip;
}

for (const [name, zip, reason, path = ''] of [...NAMES, ...KINDS, ...READINGS, ...ENDS]) {
  test(`refused: ${name}`, async () => {
    const refused = await zipRefusal(zip());
    expect(refused.reason).toBe(reason);
    expect(refused.path).toBe(path);
    expect(refused.message).toBe(new ZipRefusal(reason).message);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(refused.path).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
  });
}
