import type { IncomingHttpHeaders } from 'node:http';

/**
 * Conditional and range requests (RFC 9110, sections 13 and 14), as pure functions. There is no `Last-Modified`, so
 * only entity tags count and conditions on dates are ignored.
 */
export type ConditionOutcome =
  | { kind: 'whole' }
  | { kind: 'part'; start: number; end: number }
  | { kind: 'notModified' }
  | { kind: 'preconditionFailed' }
  | { kind: 'unsatisfiable' };

const WHOLE: ConditionOutcome = { kind: 'whole' };

type File = {
  etag: string;
  sizeBytes: number;
  /** False for a compressed body, since its ranges would be of the compressed bytes. */
  hasRanges: boolean;
};

/** Evaluates the conditions in the order of RFC 9110, section 13.2.2. */
export function evaluateConditions(method: 'GET' | 'HEAD', headers: IncomingHttpHeaders, file: File): ConditionOutcome {
  const ifMatch = headers['if-match'];
  if (ifMatch !== undefined && !lists(ifMatch, file.etag, 'strong')) return { kind: 'preconditionFailed' };
  const ifNoneMatch = headers['if-none-match'];
  if (ifNoneMatch !== undefined && lists(ifNoneMatch, file.etag, 'weak')) return { kind: 'notModified' };
  const { range } = headers;
  // RFC 9110, 14.2: ranges are defined for GET alone.
  if (range === undefined || method !== 'GET' || !file.hasRanges) return WHOLE;
  const ifRange = headers['if-range'];
  if (ifRange !== undefined && ifRange !== file.etag) return WHOLE;
  return judgeRange(range, file.sizeBytes);
}

function lists(value: string, etag: string, comparison: 'strong' | 'weak'): boolean {
  if (value === etag || value.trim() === '*') return true;
  return value.split(',').some((item) => {
    const tag = item.trim();
    return tag === etag || (comparison === 'weak' && tag === `W/${etag}`);
  });
}

/** One range of bytes. Anything else, several ranges included, means the whole file (RFC 9110, 14.2 allows it). */
const ONE_RANGE = /^bytes=(\d*)-(\d*)$/i;

function judgeRange(range: string, sizeBytes: number): ConditionOutcome {
  const match = ONE_RANGE.exec(range.trim());
  const [, first = '', last = ''] = match ?? [];
  // An empty file has no byte to ask for, but clients send ranges out of habit.
  if (match === null || (first === '' && last === '') || sizeBytes === 0) return WHOLE;
  if (first === '') {
    const length = Number(last);
    return length === 0
      ? { kind: 'unsatisfiable' }
      : { kind: 'part', start: Math.max(0, sizeBytes - length), end: sizeBytes };
  }
  const start = Number(first);
  const end = last === '' ? sizeBytes : Number(last) + 1;
  if (last !== '' && end <= start) return WHOLE;
  return start >= sizeBytes ? { kind: 'unsatisfiable' } : { kind: 'part', start, end: Math.min(end, sizeBytes) };
}
