/**
 * Builds what has changed since the last build: the program, the reference data, the client packages and
 * the console. Run by `npm run build`, and before `npm start` and `npm run demo`. It is JavaScript,
 * because it decides whether TypeScript has to be compiled.
 *
 * A stage is up to date if its inputs have the content, and its outputs the names and sizes, that its
 * stamp records. The stamp is removed before the stage and written after it, so that a build that was
 * killed is not taken for complete. Times of files are not compared, because Git and copies change them.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/**
 * @typedef {object} Stage
 * @property {string} name
 * @property {string} doing what a slow build prints
 * @property {readonly string[]} inputs files and folders; tests in them do not count
 * @property {readonly string[]} outputs files and folders
 * @property {string} [except] a folder of the outputs that another stage writes
 * @property {(root: string) => Promise<void>} run
 */

/** What npm has installed. */
const PACKAGES = 'node_modules/.package-lock.json'
/** Folders that npm and Maven write. */
const UNRELATED = ['node_modules', 'target']
const SLOW_MS = 1000

/** @type {readonly Stage[]} */
export const STAGES = [
  {
    name: 'program',
    doing: 'Compiling the program',
    inputs: [
      'src',
      'emulators',
      'world',
      'demo',
      'scripts',
      'bench',
      'eval',
      'examples',
      // Names the packages whose licenses are collected.
      'console/package.json',
      'tsconfig.json',
      'tsconfig.build.json',
      PACKAGES,
    ],
    outputs: ['dist'],
    except: 'dist/sdk',
    // Types are checked by `npm run typecheck`. That takes 7 s of CPU, compiling without it 1.8 s, as long
    // as an incremental compilation of unchanged sources, which would also have to survive being killed.
    run: async (root) => {
      requireCompilers(root)
      await runNode(
        root,
        'node_modules/typescript/bin/tsc',
        '-p',
        'tsconfig.build.json',
        '--noCheck',
      )
      await runNode(root, 'dist/scripts/bundle.js')
    },
  },
  {
    name: 'reference-data',
    doing: 'Compiling the reference data',
    // Compiles only what its own stamp, which is exact, does not cover.
    inputs: [
      'scripts/compile-data',
      'src/platform/lists',
      'src/modules/checks',
      'src/modules/phone',
      PACKAGES,
    ],
    outputs: ['build/data'],
    run: async (root) => await runNode(root, 'dist/scripts/compile-data/compile.js'),
  },
  {
    name: 'client-packages',
    doing: 'Building the client packages',
    inputs: [
      'sdk',
      'scripts/build-sdk.ts',
      'scripts/third-party.ts',
      'LICENSE',
      'tsconfig.json',
      PACKAGES,
    ],
    outputs: ['dist/sdk'],
    run: async (root) => await runNode(root, 'dist/scripts/build-sdk.js'),
  },
  {
    name: 'console',
    doing: 'Building the console',
    inputs: ['console', 'scripts/compress-pages.ts', 'tsconfig.json', PACKAGES],
    outputs: ['build/console'],
    run: async (root) => {
      await runNode(
        join(root, 'console'),
        '../node_modules/vite/bin/vite.js',
        'build',
        '--logLevel',
        'warn',
      )
      await runNode(root, 'dist/scripts/compress-pages.js')
    },
  },
]

/**
 * @param {object} options
 * @param {string} options.root folder of the package
 * @param {readonly Stage[]} options.stages
 * @param {(line: string) => void} options.print called when a stage takes longer than a second
 * @returns {Promise<string[]>} names of the stages that ran
 */
export async function build({ root, stages, print }) {
  const built = []
  for (const stage of stages) {
    const file = join(root, 'build', 'stamps', `${stage.name}.json`)
    const inputs = contentOf(root, stage.inputs)
    if (readStamp(file) === stampOf(inputs, sizesOf(root, stage))) continue
    rmSync(file, { force: true })
    const slow = setTimeout(print, SLOW_MS, stage.doing)
    try {
      await stage.run(root)
    } finally {
      clearTimeout(slow)
    }
    mkdirSync(dirname(file), { recursive: true })
    // Of the inputs as they were read: what changes during the stage is built by the next start.
    writeFileSync(file, stampOf(inputs, sizesOf(root, stage)))
    built.push(stage.name)
  }
  return built
}

/** @type {(inputs: string, outputs: string) => string} */
const stampOf = (inputs, outputs) => `${JSON.stringify({ inputs, outputs })}\n`

/** @type {(file: string) => string | undefined} */
function readStamp(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** @type {(root: string, inputs: readonly string[]) => string} */
function contentOf(root, inputs) {
  const hash = createHash('sha256')
  for (const path of inputs.flatMap((input) => filesIn(root, input))) {
    hash.update(`${path}\n`).update(readFileSync(join(root, path)))
  }
  return hash.digest('hex')
}

/** @type {(root: string, stage: Stage) => string} */
function sizesOf(root, { outputs, except }) {
  const hash = createHash('sha256')
  for (const path of outputs.flatMap((output) => filesIn(root, output, except))) {
    hash.update(`${path} ${statSync(join(root, path)).size}\n`)
  }
  return hash.digest('hex')
}

/**
 * Paths from the root, in a stable order; none for a path that does not exist.
 * @type {(root: string, path: string, except?: string) => string[]}
 */
function filesIn(root, path, except) {
  const isFolder = statSync(join(root, path), { throwIfNoEntry: false })?.isDirectory()
  if (isFolder === undefined || path === except) return []
  if (!isFolder) return /\.test\.tsx?$/.test(path) ? [] : [path]
  return readdirSync(join(root, path))
    .filter((name) => !UNRELATED.includes(name))
    .toSorted()
    .flatMap((name) => filesIn(root, `${path}/${name}`, except))
}

/**
 * Runs a program without its output, which is shown if it fails.
 * @type {(folder: string, ...args: string[]) => Promise<void>}
 */
async function runNode(folder, ...args) {
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (/** @type {Buffer} */ chunk) => {
      output += chunk.toString()
    })
  }
  /** @type {number | null} */
  const status = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (status !== 0) throw new BuildError(`${output.trimEnd()}\n${args.join(' ')} failed`)
}

/**
 * Names the packages that only the build needs. The compilers have native parts, which are optional packages of
 * the registry.
 * @type {(root: string) => void}
 */
export function requireCompilers(root) {
  const platform = `${process.platform}-${process.arch}`
  const packages = [
    'typescript',
    `@typescript/typescript-${platform}`,
    `@esbuild/${platform}`,
    // The device SDK contains them.
    '@fingerprintjs/botd',
    '@fingerprintjs/fingerprintjs',
  ]
  const missing = packages.filter((name) => !existsSync(join(root, 'node_modules', name)))
  if (missing.length === 0) return
  throw new BuildError(
    `The build needs packages that are not installed: ${missing.join(', ')}. Run \`npm ci\` without --omit, then the build. To remove afterwards what the service does not need, run \`npm prune --omit=dev --omit=optional\`.`,
  )
}

class BuildError extends Error {}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const root = dirname(dirname(fileURLToPath(import.meta.url)))
  try {
    await build({ root, stages: STAGES, print: (line) => process.stderr.write(`${line}\n`) })
  } catch (error) {
    if (!(error instanceof BuildError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}
