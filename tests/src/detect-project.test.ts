import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import {
  type DetectedProject,
  dependenciesOf,
  detectionSteps,
  generatorOf,
  type ProjectNames,
} from '../../routers/rules/uploads/detect-project.ts';
import { FRAMEWORKS } from '../../routers/rules/uploads/frameworks.ts';
import { UPLOAD_KINDS } from '../../routers/schemas/recommendations.ts';

/** Facts about real public projects: support/fixtures/README.md says where they come from and what is kept of them. */
const projects = z
  .array(
    z.object({
      name: z.string(),
      kind: z.enum(UPLOAD_KINDS),
      framework: z.nullable(z.string()),
      generator: z.nullable(z.string()),
      dependencies: z.array(z.string()),
      paths: z.array(z.string()),
    }),
  )
  .parse(JSON.parse(readFileSync('tests/support/fixtures/projects.json', 'utf8')));
type Project = (typeof projects)[number];

/** The rules were written against the other half alone. */
function isHeldBack({ name }: Project): boolean {
  return (createHash('sha256').update(name).digest()[0] ?? 0) % 2 === 1;
}

function detectProject(names: ProjectNames): DetectedProject {
  const steps = detectionSteps(names);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

function judge(half: readonly Project[]): { share: number; wrong: string[] } {
  const wrong = half.flatMap((project) => {
    const found = detectProject({ ...project, dependencies: new Set(project.dependencies) });
    const isRight = found.kind === project.kind && found.framework === project.framework;
    const said = `${found.kind} ${found.framework}`;
    return isRight ? [] : [`${project.name} is ${project.kind} ${project.framework}, and was taken for ${said}`];
  });
  return { share: 1 - wrong.length / half.length, wrong };
}

test.each([
  ['that the rules were written against', false],
  ['that was held back', true],
] as const)('of the half of real projects %s, 95 of 100 are told by their names', (title, isHeld) => {
  const half = projects.filter((project) => isHeldBack(project) === isHeld);
  const { share, wrong } = judge(half);
  process.stdout.write(`Detection, the half ${title}: ${(share * 100).toFixed(1)} % of ${half.length}\n`);
  expect(half.length).toBeGreaterThan(60);
  expect(wrong, wrong.join('\n')).toHaveLength(Math.min(wrong.length, Math.floor(half.length / 20)));
});

test('of 25 frameworks and generators the source and the build are told apart', () => {
  const both = FRAMEWORKS.filter(({ packages, source, built, generator }) => {
    return (packages ?? source) !== undefined && (built ?? generator) !== undefined;
  });
  expect(both.length).toBeGreaterThanOrEqual(25);
  const names = FRAMEWORKS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test.each([
  [['index.html', '_astro/a.css'], [], null, 'built', 'Astro'],
  // Without a first page nothing is finished.
  [['_astro/a.css'], [], null, 'unknown', null],
  [['src/pages/index.astro', 'package.json'], ['astro', 'vite'], null, 'source', 'Astro'],
  // What a page says of its maker counts more than what was copied beside it.
  [['index.html', 'hugo.toml', 'content/a.md'], [], 'Hugo 0.128.0', 'built', 'Hugo'],
  [['index.html', 'hugo.toml', 'content/a.md'], [], '{{ hugo.Generator }}', 'source', 'Hugo'],
  // A bundler makes no page.
  [['index.html', 'package.json'], ['webpack'], null, 'plain', null],
  [['src/index.js', 'package.json'], ['webpack'], null, 'source', 'webpack'],
  // Marks deep inside belong to something else.
  [['index.html', 'a/b/c/_next/static/x.js'], [], null, 'plain', null],
] as const)('%j with %j and "%s" is %s %s', (paths, dependencies, generator, kind, framework) => {
  expect(detectProject({ paths, dependencies: new Set(dependencies), generator })).toMatchObject({ kind, framework });
});

test('a list of any length is read no further than an upload may be long, in steps', () => {
  let asked = 0;
  function* endless(): Generator<string> {
    for (;;) {
      asked += 1;
      yield `${asked}/${'deep/'.repeat(50)}`;
    }
  }
  let steps = 0;
  for (const _ of detectionSteps({ paths: endless(), dependencies: new Set(), generator: null })) steps += 1;
  expect(asked).toBe(20_001);
  expect(steps).toBe(101);
});

test.each([
  ['<head><meta name="generator" content="Hugo 0.128.0"></head>', 'Hugo 0.128.0'],
  ["<META content='Jekyll v4.3' NAME='Generator'>", 'Jekyll v4.3'],
  ['<meta name=generator content=mkdocs-1.5.2>', 'mkdocs-1.5.2'],
  ['<meta name="description" content="generator">', null],
  ['<meta name="generator">', null],
  [undefined, null],
])('the maker of a page is read from %s', (page, generator) => {
  expect(generatorOf(page)).toBe(generator);
});

test('a package.json of a stranger costs no more than it is long', () => {
  const many = Object.fromEntries(Array.from({ length: 6_000 }, (_, index) => [`a${index}`, '1']));
  expect(dependenciesOf(JSON.stringify({ dependencies: many })).size).toBe(5_000);
  for (const text of [undefined, '', '[]', '{"dependencies":null}', '{"dependencies":["a"'])
    expect(dependenciesOf(text).size).toBe(0);
});
