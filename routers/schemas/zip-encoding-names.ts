/**
 * By the standard, names without the UTF-8 flag are in code page 437 (APPNOTE, appendix D), but in practice they have
 * the encoding of somebody's system, which nothing records: links of pages to the same files reveal it, and some
 * bytes.
 */
export const ZIP_ENCODINGS = {
  shift_jis: 'Japanese (Shift_JIS)',
  gbk: 'Chinese (GBK)',
  big5: 'Chinese (Big5)',
  'euc-kr': 'Korean (EUC-KR)',
  'euc-jp': 'Japanese (EUC-JP)',
  ibm866: 'Cyrillic (code page 866)',
  'windows-1251': 'Cyrillic (Windows-1251)',
  'koi8-r': 'Cyrillic (KOI8-R)',
  cp437: 'Western European (code page 437)',
  cp850: 'Western European (code page 850)',
  cp852: 'Central European (code page 852)',
  'windows-1252': 'Western European (Windows-1252)',
  'windows-1250': 'Central European (Windows-1250)',
  'utf-8': 'UTF-8',
} as const;

export type ZipEncoding = keyof typeof ZIP_ENCODINGS;
