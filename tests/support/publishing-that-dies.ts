import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { expect, inject } from 'vitest';
import { endLeases, makeDue } from './make-due.ts';
import type { PlatformApp } from './platform-app.ts';
import { program } from './program.ts';

/**
 * The boundaries at which a publication can be killed; at the first nothing is on record here, though the platform has
 * done its part.
 */
export const BOUNDARIES: readonly string[] = [
  'publishing:site',
  'publishing:ref',
  'uploading:end',
  'processing:end',
  'uploading:start',
  'processing:start',
  'preparing:end',
  'verifying:start',
  'verifying:seen',
  'verifying:switched',
  'verifying:end',
];
/** Said by a process that was not killed. */
const OVER = 3;

/**
 * Works on what is queued in a process that ends itself there (platform-process.ts); its lease is over then, and the job
 * due. Returns false where it did all that it could without coming there.
 */
export async function diesAt(
  { folder, played }: Pick<PlatformApp, 'folder' | 'played'>,
  boundary: string,
): Promise<boolean> {
  const { standIn, github = standIn } = played;
  const there = [standIn.apiUrl, github.apiUrl];
  const args = [inject('mongoUri'), mongoose.connection.name, join(folder, 'artifacts'), boundary, ...there];
  const child = spawn(process.execPath, [...program('platform-process'), ...args], {
    cwd: join(import.meta.dirname, '../..'),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code, signal] = await once(child, 'exit');
  if (code === OVER) return false;
  expect([code, signal], boundary).toEqual([null, 'SIGKILL']);
  await endLeases();
  await makeDue();
  return true;
}
