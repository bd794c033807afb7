/**
 * Starts Chromium for tests: that of the npm package @sparticuz/chromium, else an installed one. When
 * none starts, the tests fail with instructions and are not skipped.
 */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { type Browser, chromium, type LaunchOptions } from 'playwright-core'
import { packageRoot } from '../../src/platform/package-root.ts'

type Candidate = { name: string; options: LaunchOptions }

/** The arguments of the package are not used, because they turn off web security, which tests of CORS need. */
const ARGUMENTS = ['--disable-gpu', '--disable-dev-shm-usage', '--font-render-hinting=none']
const LAUNCH_TIMEOUT_MS = 30_000

/** @param more arguments of the command line */
export async function launchChromium(more: readonly string[] = []): Promise<Browser> {
  const own = [...ARGUMENTS, ...more]
  const failures: string[] = []
  for (const find of [findPackaged, findInstalled]) {
    for (const { name, options } of await find(failures)) {
      try {
        return await chromium.launch({
          headless: true,
          timeout: LAUNCH_TIMEOUT_MS,
          args: process.getuid?.() === 0 ? [...own, '--no-sandbox'] : own,
          ...options,
        })
      } catch (error) {
        failures.push(`${name}: ${firstLines(error)}`)
      }
    }
  }
  throw new Error(
    [
      'Chromium does not start on this machine. Install it, for example with',
      '  apt-get install chromium',
      'or the libraries it needs: apt-get install libnss3 libnspr4 libexpat1 fonts-liberation.',
      ...failures,
    ].join('\n'),
  )
}

/** With the libraries of the system, and as a fallback with those of the package. */
async function findPackaged(failures: string[]): Promise<Candidate[]> {
  try {
    const folder = await unpack()
    const executablePath = join(folder, 'chromium')
    const libraries = { LD_LIBRARY_PATH: join(folder, 'al2023', 'lib') }
    const fonts = { FONTCONFIG_PATH: join(folder, 'fonts') }
    const env = (more: Record<string, string>) => ({ ...definedIn(process.env), ...more })
    return [
      { name: '@sparticuz/chromium', options: { executablePath } },
      {
        name: '@sparticuz/chromium with its own libraries',
        options: { executablePath, env: env({ ...libraries, ...fonts }) },
      },
    ]
  } catch (error) {
    failures.push(`@sparticuz/chromium: ${firstLines(error)}`)
    return []
  }
}

function findInstalled(): Candidate[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return ['chromium', 'chromium-browser', 'google-chrome']
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .filter((path) => existsSync(path))
    .map((executablePath) => ({ name: executablePath, options: { executablePath } }))
}

/**
 * The package unpacks into the temporary folder and assumes that files found there are complete. It
 * therefore runs in a process with a separate temporary folder, which becomes the cache when it is done.
 */
async function unpack(): Promise<string> {
  const require = createRequire(import.meta.url)
  const entry = require.resolve('@sparticuz/chromium')
  const cache = join(packageRoot(), 'build')
  const folder = join(cache, 'chromium-for-tests')
  if (existsSync(folder)) return folder
  mkdirSync(cache, { recursive: true })
  const partial = mkdtempSync(join(cache, 'chromium-partial-'))
  const program = `import module from ${JSON.stringify(pathToFileURL(entry).href)}
    await (module.default ?? module).executablePath()`
  try {
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
      // With this variable, the package also unpacks the libraries.
      env: { ...process.env, TMPDIR: partial, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x' },
    })
    if (!existsSync(folder)) renameSync(partial, folder)
  } finally {
    rmSync(partial, { recursive: true, force: true })
  }
  return folder
}

const definedIn = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )

const firstLines = (error: unknown): string => String(error).split('\n').slice(0, 6).join('\n  ')
