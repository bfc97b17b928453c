import { readdir, readFile } from 'node:fs/promises';
import { signalProcess } from '../../server/database/embedded/mongod-process.ts';

/** A signal is taken by one thread, and the others go on for a moment: proc_pid_stat(5), third field. */
async function isStopped(pid: number): Promise<boolean> {
  const tasks = `/proc/${pid}/task`;
  const read = (id: string): Promise<string> =>
    // A thread that has ended meanwhile does not run either.
    readFile(`${tasks}/${id}/stat`, 'latin1').catch(() => ') T');
  const stats = await Promise.all((await readdir(tasks)).map(read));
  return stats.every((stat) => stat.slice(stat.lastIndexOf(')')).startsWith(') T'));
}

/**
 * Stops a process with its sockets open, until the returned function is called. Resolves when no thread of it runs any
 * more: until then it may take a connection or answer a call. Throws when it is gone.
 */
export async function holdProcess(pid: number): Promise<() => void> {
  process.kill(pid, 'SIGSTOP');
  while (!(await isStopped(pid)));
  return () => void signalProcess(pid, 'SIGCONT');
}
