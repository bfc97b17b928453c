/**
 * A name that identifies a project: a file by its whole path, a folder by its path with a slash at the end, or a
 * pattern for names that differ from build to build. Only the first three levels are searched.
 */
export type NameMark = string | RegExp;

export type Framework = {
  name: string;
  /** Dependencies in package.json that only projects of this framework have. */
  packages?: readonly string[];
  /** Marks of a developer's own files: all names of one line must exist. */
  source?: readonly (readonly NameMark[])[];
  /** Marks of a finished build. */
  built?: readonly (readonly NameMark[])[];
  /** The text about itself that its build writes into the first page, as `<meta name="generator">`. */
  generator?: RegExp;
  /** True when its build is one page for every address, which a host must serve everywhere. */
  isSinglePage?: true;
  /** True when it bundles scripts for any kind of page: beside a handwritten first page nothing needs to be built. */
  isBundler?: true;
};

/**
 * Frameworks and generators of websites, each before those that it is made with: the first that matches counts. Names
 * and marks are from each project's own documentation and from its builds, read in November 2026.
 */
export const FRAMEWORKS: readonly Framework[] = [
  {
    name: 'Next.js',
    packages: ['next'],
    source: [[/^next\.config\.(js|mjs|cjs|ts)$/]],
    built: [['_next/static/']],
  },
  {
    name: 'Nuxt',
    packages: ['nuxt', 'nuxt3', 'nuxt-edge'],
    source: [[/^nuxt\.config\.(js|mjs|ts)$/]],
    built: [['_nuxt/']],
  },
  {
    name: 'SvelteKit',
    packages: ['@sveltejs/kit'],
    built: [['_app/immutable/'], ['_app/version.json'], [/^_app\/start-[\w-]{8}\.js$/]],
  },
  {
    name: 'Astro',
    packages: ['astro'],
    source: [[/^astro\.config\.(js|mjs|cjs|ts|mts)$/]],
    built: [['_astro/']],
    generator: /^(Astro|Starlight) v\d/,
  },
  {
    name: 'Gatsby',
    packages: ['gatsby'],
    source: [[/^gatsby-config\.(js|mjs|ts)$/]],
    built: [['page-data/'], [/^webpack-runtime-[0-9a-f]{20}\.js$/]],
    generator: /^Gatsby \d/,
  },
  {
    name: 'Docusaurus',
    packages: ['@docusaurus/core', 'docusaurus'],
    source: [[/^docusaurus\.config\.(js|mjs|ts)$/]],
    built: [[/^assets\/js\/runtime~main\.[0-9a-f]{8}\.js$/], [/^runtime~main\.[0-9a-f]{8}\.js$/, 'search.html']],
    generator: /^Docusaurus\b/,
  },
  {
    name: 'VitePress',
    packages: ['vitepress'],
    source: [['.vitepress/'], ['docs/.vitepress/']],
    built: [['hashmap.json', 'assets/'], ['vp-icons.css'], [/^assets\/app\.[\w-]{8}\.js$/]],
    generator: /^VitePress v\d/,
  },
  {
    name: 'VuePress',
    packages: ['vuepress', '@vuepress/core', 'vuepress-vite', 'vuepress-webpack'],
    source: [['.vuepress/'], ['docs/.vuepress/']],
    built: [[/^assets\/css\/0\.styles\.[0-9a-f]{8}\.css$/], [/^assets\/index\.html[-.][\w-]{8}\.js$/]],
    generator: /^VuePress \d/,
  },
  {
    name: 'Gridsome',
    packages: ['gridsome'],
    source: [['gridsome.config.js']],
    built: [['assets/data/', /^assets\/js\/app\.[0-9a-f]{8}\.js$/]],
    generator: /^Gridsome v\d/,
  },
  {
    name: 'Eleventy',
    packages: ['@11ty/eleventy'],
    source: [[/^(\.eleventy|eleventy\.config)\.(js|cjs|mjs)$/]],
    generator: /^Eleventy v\d/,
  },
  { name: 'Slidev', packages: ['@slidev/cli'] },
  {
    name: 'Rspress',
    packages: ['rspress', '@rspress/core'],
    source: [[/^rspress\.config\.(js|ts|mjs)$/]],
    generator: /^Rspress v\d/,
  },
  {
    name: 'Observable Framework',
    packages: ['@observablehq/framework'],
    source: [[/^observablehq\.config\.(js|ts)$/]],
    built: [['_observablehq/']],
    generator: /^Observable Framework v\d/,
  },
  { name: 'Metalsmith', packages: ['metalsmith'], source: [['metalsmith.json']] },
  { name: 'SolidStart', packages: ['@solidjs/start', 'solid-start'] },
  {
    name: 'React Router',
    packages: ['@react-router/dev', '@remix-run/react', '@remix-run/dev'],
    source: [[/^(react-router|remix)\.config\.(js|ts|mjs)$/]],
    built: [[/^assets\/manifest-[0-9a-f]{8}\.js$/]],
  },
  {
    name: 'Qwik',
    packages: ['@builder.io/qwik', '@qwik.dev/core'],
    built: [['q-manifest.json'], [/^build\/q-[\w-]{8}\.js$/]],
    generator: /^Qwik\b/,
  },
  {
    name: 'Ember',
    packages: ['ember-source', 'ember-cli'],
    source: [['ember-cli-build.js']],
    built: [[/^assets\/vendor-[0-9a-f]{32}\.js$/]],
    isSinglePage: true,
  },
  {
    name: 'Angular',
    packages: ['@angular/core'],
    source: [['angular.json'], ['.angular-cli.json']],
    built: [
      ['3rdpartylicenses.txt'],
      [
        /^main(-es5|-es2015|-es2018)?[-.][0-9a-zA-Z]{8,20}\.js$/,
        /^(polyfills|runtime|styles)(-es5|-es2015|-es2018)?[-.][0-9a-zA-Z]{8,20}\.(js|css)$/,
      ],
      [/^main-[0-9A-Z]{8}\.js$/],
    ],
    isSinglePage: true,
  },
  {
    name: 'Create React App',
    packages: ['react-scripts', '@craco/craco', 'react-app-rewired'],
    built: [['asset-manifest.json', 'static/js/'], [/^static\/js\/main\.[0-9a-f]{8}\.(chunk\.)?js$/]],
    isSinglePage: true,
  },
  {
    name: 'Quasar',
    packages: ['@quasar/app-vite', '@quasar/app', '@quasar/app-webpack'],
    source: [[/^quasar\.(config|conf)\.(js|ts)$/]],
    built: [[/^js\/vendor\.[0-9a-f]{8}\.js$/, /^js\/app\.[0-9a-f]{8}\.js$/]],
    isSinglePage: true,
  },
  {
    name: 'Vue CLI',
    packages: ['@vue/cli-service'],
    source: [['vue.config.js']],
    built: [
      [/^(static\/)?js\/chunk-(vendors|elementUI|libs)\.[0-9a-f]{8}\.js$/],
      [/^(static\/)?js\/app\.[0-9a-f]{8}\.js$/],
      [/^static\/js\/manifest\.[0-9a-f]{20}\.js$/],
    ],
    isSinglePage: true,
  },
  {
    name: 'Preact CLI',
    packages: ['preact-cli'],
    built: [['push-manifest.json'], [/^polyfills\.[\w]{5}(\.esm)?\.js$/]],
    isSinglePage: true,
  },
  { name: 'Expo', packages: ['expo'], built: [['_expo/static/']], isSinglePage: true },
  {
    name: 'UmiJS',
    packages: ['umi', '@umijs/max', 'dumi'],
    built: [['umi.js', 'umi.css'], [/^umi\.[0-9a-f]{8}\.js$/]],
    isSinglePage: true,
  },
  {
    name: 'Storybook',
    source: [],
    built: [
      ['iframe.html', 'sb-manager/'],
      ['iframe.html', 'sb-addons/'],
      ['iframe.html', 'sb_dll/'],
      ['iframe.html', 'project.json'],
    ],
  },
  {
    name: 'Flutter',
    source: [['pubspec.yaml', 'lib/']],
    built: [['main.dart.js'], ['flutter_bootstrap.js']],
    isSinglePage: true,
  },
  {
    name: 'Blazor',
    source: [[/^[^/]{1,80}\.csproj$/, 'wwwroot/']],
    built: [
      ['_framework/blazor.webassembly.js'],
      ['_framework/blazor.boot.json'],
      [/^_framework\/blazor\.webassembly\.[\w]{6,12}\.js$/],
    ],
    isSinglePage: true,
  },
  { name: 'Unity', built: [[/^Build\/[^/]{1,80}\.loader\.js$/], ['Build/UnityLoader.js']] },
  { name: 'Godot', source: [['project.godot']], built: [['index.pck', 'index.wasm']] },
  { name: 'Elm', source: [['elm.json']], isSinglePage: true },
  {
    name: 'Hexo',
    packages: ['hexo'],
    source: [
      ['_config.yml', 'scaffolds/'],
      ['_config.yml', 'source/_posts/'],
    ],
    generator: /^Hexo \d/,
  },
  {
    name: 'Lume',
    source: [
      ['_config.ts', /^deno\.jsonc?$/],
      ['_config.js', /^deno\.jsonc?$/],
    ],
    generator: /^Lume v\d/,
  },
  { name: 'Bridgetown', source: [['config/initializers.rb', 'src/'], ['bridgetown.config.yml']] },
  { name: 'Middleman', source: [['config.rb', 'source/']] },
  {
    name: 'Jupyter Book',
    source: [['_config.yml', '_toc.yml'], ['myst.yml']],
    built: [['objects.inv', '_static/sphinx-thebe.js']],
  },
  { name: 'bookdown', source: [['_bookdown.yml']], generator: /^bookdown \d/ },
  { name: 'Quarto', source: [['_quarto.yml']], built: [['site_libs/']], generator: /^quarto-\d/ },
  {
    name: 'Jekyll',
    source: [
      ['_config.yml', '_layouts/'],
      ['_config.yml', '_posts/'],
      ['_config.yml', '_includes/'],
      ['_config.yml', 'Gemfile'],
      ['_config.yml', 'index.md'],
    ],
    built: [['.jekyll-metadata']],
    generator: /^Jekyll v\d/,
  },
  {
    name: 'MkDocs',
    source: [[/^mkdocs\.ya?ml$/]],
    built: [['search/search_index.json'], ['mkdocs/search_index.json'], ['search/lunr.js', 'sitemap.xml.gz']],
    generator: /^mkdocs-\d/,
  },
  {
    name: 'mdBook',
    source: [['book.toml', 'src/']],
    built: [[/^book(-[0-9a-f]{8})?\.js$/, /^ayu-highlight(-[0-9a-f]{8})?\.css$/]],
  },
  {
    name: 'Sphinx',
    source: [['conf.py'], ['source/conf.py']],
    built: [
      ['objects.inv', '_static/'],
      ['searchindex.js', '_static/'],
    ],
  },
  { name: 'Pelican', source: [['pelicanconf.py']] },
  { name: 'Lektor', source: [[/^[^/]{1,80}\.lektorproject$/]] },
  { name: 'Antora', source: [[/^antora(-playbook)?\.yml$/]], generator: /^Antora \d/ },
  {
    name: 'Zola',
    source: [
      ['config.toml', 'content/', 'templates/'],
      ['config.toml', 'content/', 'sass/'],
    ],
    built: [[/^elasticlunr\.min\.js$/, /^search_index\.[a-z]{2}\.js(on)?$/]],
  },
  {
    name: 'Hugo',
    source: [
      [/^hugo\.(toml|ya?ml|json)$/],
      ['config/_default/'],
      [/^config\.(toml|ya?ml|json)$/, 'content/'],
      [/^config\.(toml|ya?ml|json)$/, 'archetypes/'],
      [/^config\.(toml|ya?ml|json)$/, 'themes/'],
    ],
    generator: /^Hugo \d/,
  },
  { name: 'GitBook', source: [['SUMMARY.md', 'book.json']], built: [['gitbook/gitbook.js']], generator: /^GitBook \d/ },
  { name: 'Docsify', built: [['_sidebar.md'], ['_coverpage.md'], ['_navbar.md']] },
  {
    name: 'TypeDoc',
    built: [
      ['assets/search.js', 'assets/main.js'],
      ['assets/js/search.js', 'assets/js/main.js'],
    ],
    generator: /^TypeDoc\b/,
  },
  { name: 'Doxygen', source: [['Doxyfile']], built: [['doxygen.css'], ['doxygen.svg']], generator: /^Doxygen \d/ },
  {
    name: 'Javadoc',
    built: [
      ['element-list', 'allclasses-index.html'],
      ['package-list', 'overview-summary.html'],
    ],
    generator: /^javadoc\//,
  },
  {
    name: 'rustdoc',
    built: [
      ['static.files/', 'crates.js'],
      ['search-index.js', 'crates.js'],
    ],
    generator: /^rustdoc$/,
  },
  { name: 'Webflow', built: [['js/webflow.js'], ['css/webflow.css']], generator: /^Webflow$/ },
  { name: 'WordPress', built: [['wp-content/', 'wp-includes/']], generator: /^WordPress \d/ },
  {
    name: 'Parcel',
    packages: ['parcel', 'parcel-bundler'],
    built: [[/^index\.[0-9a-f]{8}\.js$/], [/^src\.[0-9a-f]{8}\.js$/]],
  },
  {
    name: 'Vite',
    packages: ['vite'],
    source: [[/^vite\.config\.(js|mjs|ts|mts)$/]],
    built: [[/^assets\/[^/]{1,120}[-.][\w-]{8}\.(js|css)$/]],
    isSinglePage: true,
  },
  { name: 'webpack', packages: ['webpack'], source: [[/^webpack\.[\w.]{1,40}\.?js$/]], isBundler: true },
  {
    name: 'Rollup',
    packages: ['rollup'],
    source: [[/^rollup\.config\.(js|mjs|ts)$/]],
    built: [[/^[A-Za-z]{1,60}-[0-9a-f]{8}\.js$/]],
    isBundler: true,
  },
];
