import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { endOnFatalErrors } from '../../server/boot/fatal-errors.ts';
import { createLog } from '../../server/lib/log.ts';

test('rejected promises and errors of connections are counted apart', () => {
  const lines: Record<string, unknown>[] = [];
  const log = createLog({ level: 'info', isTerminal: false, write: (line) => lines.push(JSON.parse(line)) });
  const source = new EventEmitter();
  endOnFatalErrors(log, source);
  source.emit('unhandledRejection', new Error('planted'));
  source.emit('uncaughtException', Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
  source.emit('unhandledRejection', 'no error at all');
  expect(lines.map(({ kind, count }) => [kind, count])).toEqual([
    ['rejection', 1],
    ['connection', 1],
    ['rejection', 2],
  ]);
});
