/** Runs commands of the program in this process, on the shared test database. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject } from 'vitest'
import { runProgram } from '../../src/cli/program.ts'
import { TEST_MASTER_KEY, testEngineSettings } from '../harness.ts'

/** Progress that the program prints when a step is slow, as on a busy machine. */
const SLOW_STEP = /^(?:Bringing|Waiting for) the database .*\n/gm

export type CommandOutput = { status: number; stdout: string; stderr: string }

export type Commands = {
  vigil(...args: string[]): Promise<CommandOutput>
  /** Runs a command that must succeed with `--json` and returns the printed object. */
  vigilJson<T>(...args: string[]): Promise<T>
}

/**
 * Uses a data directory that exists while the tests of the file run.
 * @param more variables of the environment
 */
export function useCommands(more: Record<string, string> = {}): Commands {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'vigil-commands-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const vigil = async (...args: string[]): Promise<CommandOutput> => {
    const { host, port, user, database } = inject('postgres')
    const output = { stdout: '', stderr: '' }
    const status = await runProgram(args, {
      working_folder: folder,
      environment: {
        DATABASE_URL: `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`,
        ...testEngineSettings(),
        VIGIL_MASTER_KEY: TEST_MASTER_KEY,
        VIGIL_DATA_DIR: folder,
        ...more,
      },
      stdout: (text) => {
        output.stdout += `${text}\n`
      },
      stderr: (text) => {
        output.stderr += `${text}\n`
      },
    })
    return { status, ...output }
  }
  return {
    vigil,
    vigilJson: async <T>(...args: string[]) => {
      const { status, stdout, stderr: printed } = await vigil(...args, '--json')
      const stderr = printed.replace(SLOW_STEP, '')
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
      return JSON.parse(stdout) as T
    },
  }
}
