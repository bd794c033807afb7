/** Packs Vigil and installs the package into an empty folder, as an ordinary user where root runs the tests. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../src/platform/package-root.ts'
import {
  isRoot,
  launch,
  NOBODY,
  type Ready,
  type Running,
  type RunOptions,
  run,
  waitFor,
  withCredentials,
} from '../e2e/program.ts'

/** The account of an ordinary user, or undefined for that of the tests. */
export const USER = isRoot ? NOBODY : undefined

export type Packed = {
  /** Path of the `.tgz` file. */
  file: string
  /** Paths in the package, and their sizes in bytes. */
  files: { path: string; size: number }[]
  /** Size of the `.tgz` file in bytes. */
  size: number
}

/** @param folder where the file is written */
export function pack(folder: string): Packed {
  // The suite has been built before, and a build must not replace files of other tests.
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  const output = execFileSync('npm', args, { cwd: packageRoot(), stdio: 'pipe' }).toString()
  // npm 12 prints an object by package name, earlier versions a list.
  const [packed] = Object.values(JSON.parse(output) as Record<string, PackedByNpm>)
  if (!packed) throw new Error(`npm packed nothing: ${output}`)
  return { file: join(folder, packed.filename), files: packed.files, size: packed.size }
}

type PackedByNpm = { filename: string; size: number; files: Packed['files'] }

/** npm and the installed program, in a folder of the user with nothing else in it. */
export function inFolder(folder: string, env: Record<string, string> = {}) {
  const options = (program: string): RunOptions => ({
    cwd: folder,
    program,
    account: USER,
    env: {
      HOME: folder,
      npm_config_update_notifier: 'false',
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      ...env,
    },
  })
  return {
    npm: async (...args: string[]) => await run(args, options('npm')),
    vigil: async (...args: string[]) => await run(['vigil', ...args], options('npx')),
    node: (...args: string[]) => launch(args, options(process.execPath)),
    start: (...args: string[]) => launch(args, options(join(folder, 'node_modules/.bin/vigil'))),
  }
}

/** @returns bytes of all files below a folder */
export function sizeOf(path: string): number {
  const facts = lstatSync(path)
  if (!facts.isDirectory()) return facts.size
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
}

/**
 * Copies the packages that the tests' npm has downloaded, so that the user installs them without a network.
 *
 * @returns whether there are any
 */
export function copyCache(folder: string): boolean {
  const cache = execFileSync('npm', ['config', 'get', 'cache'], { stdio: 'pipe' }).toString().trim()
  const content = join(cache, '_cacache')
  if (!existsSync(content)) return false
  mkdirSync(folder, { recursive: true })
  cpSync(content, join(folder, '_cacache'), { recursive: true })
  if (USER) execFileSync('chown', ['-R', `${USER.uid}:${USER.gid}`, folder])
  return true
}

/** Waits until `vigil serve --json` reports that it is ready. */
export async function ready(running: Running): Promise<Ready> {
  const line = await waitFor(running, () => /^\{.*\}$/m.exec(running.stdout())?.[0])
  return withCredentials(JSON.parse(line) as Ready)
}

export async function stop(running: Running): Promise<void> {
  running.child.kill('SIGTERM')
  await running.ended
}

/** Sends a JSON body, or a GET request without one. @param path below the origin of the service */
export async function send(
  { url }: Ready,
  path: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: unknown } = {},
): Promise<{ status: number; content: Record<string, unknown> }> {
  const response = await fetch(new URL(path, url), {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const { content = {} } = (await response.json()) as { content?: Record<string, unknown> }
  return { status: response.status, content }
}
