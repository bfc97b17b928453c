// Node 20 reads no TypeScript, and tsx's `--import` does not reach into threads; the build does not need this file.
const source = process.argv[2];
// The tests have built the threads beforehand: from its sources each start would take six times as long.
const built = process.env.TEST_PROGRAMS;

if (built === undefined) {
  const { register } = await import('tsx/esm/api');
  register();
  await import(source);
} else {
  const name = source.slice(source.lastIndexOf('/') + 1).replace('.worker.ts', '-worker.js');
  await import(`${built}/${name}`);
}
