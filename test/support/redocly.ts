/** Runs the Redocly command line on the OpenAPI document. */
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { packageRoot } from '../../src/platform/package-root.ts'

/** `output` contains stdout and stderr. */
export type Outcome = { code: number | null; output: string; stdout: string }

const require = createRequire(import.meta.url)
const PROGRAM = join(dirname(require.resolve('@redocly/cli/package.json')), 'bin', 'cli.js')

/** @param folder working directory, which the program may write to */
export async function redocly(
  folder: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<Outcome> {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      NO_COLOR: '1',
      REDOCLY_TELEMETRY: 'off',
      REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let stdout = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
    stdout += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  return { code, output, stdout }
}

export const REDOCLY_CONFIG = join(packageRoot(), 'redocly.yaml')
